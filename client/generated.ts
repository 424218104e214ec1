/**
 * The API's types and operations, generated from its definitions by `npm run client`.
 *
 * @module
 */
import type { CallOptions, IdempotentCallOptions, Operations, TokenCallOptions } from "./Operation.ts"

export interface Contact {
  readonly id: string
  /** Set for a connected store's customer */
  readonly storeId: string | null
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly phone: string | null
  readonly city: string | null
  readonly countryCode: string | null
  readonly language: string | null
  readonly consentStatus: "Unknown" | "SoftOptIn" | "Subscribed" | "Unsubscribed" | "Bounced" | "Complained" | "CheckoutStarted" | "PendingConfirmation"
  readonly isPayingCustomer: boolean
  readonly orderCount: number
  readonly totalSpent: number
  readonly lastOrderAt: string | null
  readonly sourceCreatedAt: string | null
  readonly lastSyncedAt: string | null
  readonly consentUpdatedAt: string | null
  readonly lastOpenAt: string | null
  readonly lastClickAt: string | null
  readonly lastEmailedAt: string | null
  readonly addedAt: string | null
  readonly lastConversionAt: string | null
  readonly fromOrders: boolean
  readonly consentSource: string | null
  readonly storeConsentMode: "Explicit" | "Notice" | "OwnConsent" | "None" | null
  readonly marketingDeclared: boolean
  readonly tags: ReadonlyArray<string> | null
  readonly attributes: {
    readonly [key: string]: string | number | boolean | ReadonlyArray<string>
  }
}

export interface ContactBatchResult {
  readonly index: number
  readonly status: "Created" | "Updated" | "Failed"
  readonly id: string | null
  readonly errors: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly params: {
      readonly [key: string]: number
    } | null
  }> | null
}

export interface ContactField {
  readonly key: string
  readonly label: string
  readonly type: "Text" | "Number" | "Boolean" | "Date" | "DateTime" | "TextList"
  readonly description: string | null
  readonly createdFrom: "Ui" | "Api" | "Csv"
  readonly createdAt: string
  readonly archivedAt: string | null
}

export interface ContactWrite {
  /** The service's contact id */
  readonly id?: string | null | undefined
  /** Your own user id */
  readonly externalId?: string | null | undefined
  /** Required for a new contact */
  readonly email?: string | null | undefined
  readonly firstName?: string | null | undefined
  readonly lastName?: string | null | undefined
  /** Stored unchanged */
  readonly phone?: string | null | undefined
  readonly city?: string | null | undefined
  /** ISO 3166-1 alpha-2 */
  readonly countryCode?: string | null | undefined
  /** BCP 47 */
  readonly language?: string | null | undefined
  /** Values by the contact field's key: a key sent is set, one sent as null removed, others untouched */
  readonly attributes?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly consent?: {
    readonly basis: string
    readonly proof?: {
      /** The exact words agreed to; required for Subscribed */
      readonly text?: string | null | undefined
      readonly textVersion?: string | null | undefined
      readonly locale?: string | null | undefined
      readonly ipAddress?: string | null | undefined
      readonly givenAt?: string | null | undefined
    } | null | undefined
  } | null | undefined
  /** Topics turned on or off, by the topic's key */
  readonly topics?: {
    readonly [key: string]: boolean
  } | null | undefined
}

export interface EmailAttachment {
  /** Without a path, at most 255 characters */
  readonly filename: string
  /** type/subtype with optional parameters, such as `text/calendar; method=REQUEST` */
  readonly contentType: string
  /** Base64 */
  readonly content: string
  /** The name that `cid:` links of the html use */
  readonly contentId?: string | null | undefined
}

export interface EmailRequest {
  /** On a verified domain of the account; the account's default sender when left out */
  readonly from?: string | {
    readonly email: string
    readonly name?: string | null | undefined
  } | null | undefined
  /** Required */
  readonly to?: string | {
    readonly email: string
    readonly name?: string | null | undefined
  } | null | undefined
  /** With to and bcc at most 50 recipients */
  readonly cc?: ReadonlyArray<string | {
    readonly email: string
    readonly name?: string | null | undefined
  }> | null | undefined
  /** Recipients that are hidden from the others */
  readonly bcc?: ReadonlyArray<string | {
    readonly email: string
    readonly name?: string | null | undefined
  }> | null | undefined
  readonly replyTo?: string | {
    readonly email: string
    readonly name?: string | null | undefined
  } | null | undefined
  /** At most 300 characters; required without templateId */
  readonly subject?: string | null | undefined
  /** At most 500,000 characters; html or text is required without templateId */
  readonly html?: string | null | undefined
  /** At most 500,000 characters */
  readonly text?: string | null | undefined
  /** Replaces subject, html and text */
  readonly templateId?: string | null | undefined
  /** Values of the template's variables, at most 100,000 characters of JSON */
  readonly variables?: {
    readonly [key: string]: unknown
  } | null | undefined
  /** ISO 8601 with offset, at most 30 days ahead; a past time sends at once */
  readonly sendAt?: string | null | undefined
  /** At most 10, of 5 MiB together */
  readonly attachments?: ReadonlyArray<EmailAttachment> | null | undefined
  /** X-..., In-Reply-To and References; at most 20 */
  readonly headers?: {
    readonly [key: string]: string
  } | null | undefined
  /** The same as the header Idempotency-Key: 1 to 150 visible ASCII characters */
  readonly idempotencyKey?: string | null | undefined
  readonly tags?: {
    readonly [key: string]: string
  } | null | undefined
  readonly metadata?: {
    readonly [key: string]: string
  } | null | undefined
  readonly tracking?: {
    readonly opens?: boolean | null | undefined
    readonly clicks?: boolean | null | undefined
  } | null | undefined
}

export interface EmailSubmission {
  readonly id: string
  readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview" | "Mixed"
  readonly reason: string | null
  readonly recipients: ReadonlyArray<{
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly kind: "To" | "Cc" | "Bcc"
    readonly status: "Queued" | "Sent" | "Failed" | "Suppressed" | "Delivered" | "Bounced" | "HandingOff" | "Accepted" | "Unknown" | "PendingReview"
    readonly reason: string | null
  }>
  readonly sendAt: string | null
  readonly templateId: string | null
  readonly metadata: {
    readonly [key: string]: string
  }
  readonly tags: {
    readonly [key: string]: string
  }
}

export interface EventWrite {
  /** Your own id, unique in the account; required */
  readonly id?: string | null | undefined
  /** Required */
  readonly name?: string | null | undefined
  readonly occurredAt?: string | null | undefined
  readonly contact?: ContactWrite | null | undefined
  readonly properties?: unknown | undefined
}

export interface Item {
  readonly id: string
  readonly source: string
  readonly storeId: string | null
  readonly externalId: string
  readonly kind: "product" | "plan" | "service" | "other"
  readonly name: string
  readonly description: string | null
  readonly url: string | null
  readonly imageUrl: string | null
  readonly price: number | null
  readonly comparePrice: number | null
  readonly currency: string | null
  readonly inStock: boolean
  readonly stockQuantity: number | null
  readonly categories: ReadonlyArray<string>
  readonly attributes: {
    readonly [key: string]: string | number | boolean | ReadonlyArray<string>
  }
  readonly active: boolean
  readonly createdAt: string
  readonly updatedAt: string | null
}

export interface ItemBatchResult {
  readonly index: number
  readonly status: "created" | "updated" | "failed"
  readonly id: string | null
  readonly errors: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly params: {
      readonly [key: string]: number
    } | null
  }> | null
}

export interface ItemWrite {
  /** Your own id; required */
  readonly id?: string | null | undefined
  readonly kind?: string | null | undefined
  /** Required for a new item */
  readonly name?: string | null | undefined
  readonly description?: string | null | undefined
  /** http or https */
  readonly url?: string | null | undefined
  /** http or https */
  readonly imageUrl?: string | null | undefined
  /** Exact to 15 digits before and after the point */
  readonly price?: number | null | undefined
  /** Exact to 15 digits before and after the point */
  readonly comparePrice?: number | null | undefined
  /** ISO 4217; required with a price */
  readonly currency?: string | null | undefined
  readonly inStock?: boolean | null | undefined
  readonly stockQuantity?: number | null | undefined
  readonly categories?: ReadonlyArray<string> | null | undefined
  /** Values by name: a string, number, boolean or list of strings */
  readonly attributes?: {
    readonly [key: string]: unknown
  } | null | undefined
  readonly active?: boolean | null | undefined
}

export interface Order {
  readonly id: string
  readonly storeId: string
  readonly number: string | null
  readonly status: "Pending" | "Paid" | "Completed" | "Cancelled" | "Refunded" | "Failed" | "Draft"
  readonly currency: string
  readonly total: number
  readonly email: string | null
  readonly customerName: string | null
  readonly placedAt: string
  readonly paidAt: string | null
  readonly lineCount: number
}

export interface RejectedEvent {
  readonly index: number
  readonly reasons: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    /** On the last reason, where further ones are not listed: their number */
    readonly params?: {
      readonly more: number
    } | undefined
  }>
}

export interface Segment {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly definition: {
    readonly join: string
    readonly rules: ReadonlyArray<{
      readonly fieldKey: string
      readonly operator: string
      readonly value: unknown
    }>
  }
  readonly builtInKey: "all" | "subscribed" | "customers" | "repeat_customers" | "engaged_90_days" | "inactive_180_days" | "new_30_days" | null
  readonly count: number
  readonly sendableCount: number
}

export interface Topic {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly description: string | null
  readonly isArchived: boolean
}

/** The calls of the API, by resource. */
export interface Client {
  /** Contact fields */
  readonly contactFields: {
    /** Create a contact field (POST /api/v1/contact-attributes, permission contacts:write) */
    readonly create: (body: {
      readonly key: string
      readonly label?: string | null | undefined
      readonly type?: string | null | undefined
      readonly description?: string | null | undefined
    }, options?: CallOptions) => Promise<ContactField>
    /** List contact fields (GET /api/v1/contact-attributes, permission contacts:read) */
    readonly list: (options?: CallOptions) => Promise<ReadonlyArray<ContactField>>
    /** Change a contact field (PATCH /api/v1/contact-attributes/:key, permission contacts:write) */
    readonly update: (key: string, body: {
      readonly label?: string | null | undefined
      readonly description?: string | null | undefined
      readonly archived?: boolean | null | undefined
    }, options?: CallOptions) => Promise<ContactField>
  }
  /** Contacts */
  readonly contacts: {
    /** Create or update a contact (POST /api/v1/contacts, permission contacts:write) */
    readonly write: (body: ContactWrite, options?: CallOptions) => Promise<{
      readonly contact: Contact
      readonly created: boolean
    }>
    /** Create or update up to 1,000 contacts (POST /api/v1/contacts/batch, permission contacts:write) */
    readonly writeBatch: (body: {
      readonly contacts: ReadonlyArray<ContactWrite>
    }, options?: CallOptions) => Promise<{
      readonly created: number
      readonly updated: number
      readonly failed: number
      readonly results: ReadonlyArray<ContactBatchResult>
    }>
    /** List contacts (GET /api/v1/contacts, permission contacts:read) */
    readonly list: (query?: {
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      /** A segment's id */
      readonly segment?: string | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Contact>
      readonly page: number
      readonly pageSize: number
      readonly totalCount: number
    }>
    /** Read a contact (GET /api/v1/contacts/:reference, permission contacts:read) */
    readonly get: (reference: string, options?: CallOptions) => Promise<Contact>
    /** Erase a contact (DELETE /api/v1/contacts/:reference, permission contacts:erase) */
    readonly erase: (reference: string, options?: CallOptions) => Promise<{
      readonly id: string
    }>
  }
  /** Segments */
  readonly segments: {
    /** List segments (GET /api/v1/segments, permission contacts:read) */
    readonly list: (options?: CallOptions) => Promise<ReadonlyArray<Segment>>
  }
  /** Topics */
  readonly topics: {
    /** List topics (GET /api/v1/topics, permission contacts:read) */
    readonly list: (options?: CallOptions) => Promise<ReadonlyArray<Topic>>
  }
  /** Events */
  readonly events: {
    /** Report up to 100 events (POST /api/v1/events, permission events:write) */
    readonly accept: (body: {
      readonly events: ReadonlyArray<EventWrite>
    }, options?: CallOptions) => Promise<{
      readonly accepted: number
      readonly duplicates: number
      readonly rejected: ReadonlyArray<RejectedEvent>
    }>
  }
  /** Transactional email */
  readonly sending: {
    /** Send a transactional email (POST /api/v1/sending/emails, permission emails:send) */
    readonly submit: (body: EmailRequest, options?: IdempotentCallOptions) => Promise<{
      readonly id: string
      readonly status: "Queued" | "Suppressed"
      readonly reason: string | null
    }>
    /** Read an email and its delivery status (GET /api/v1/sending/emails/:id, permission emails:read) */
    readonly get: (id: string, options?: CallOptions) => Promise<EmailSubmission>
  }
  /** Catalogue */
  readonly items: {
    /** Create or update an item (POST /api/v1/items, permission items:write) */
    readonly write: (body: ItemWrite, options?: CallOptions) => Promise<Item>
    /** Create or update up to 1,000 items (POST /api/v1/items/batch, permission items:write) */
    readonly writeBatch: (body: {
      readonly items: ReadonlyArray<ItemWrite>
    }, options?: CallOptions) => Promise<{
      readonly created: number
      readonly updated: number
      readonly failed: number
      readonly results: ReadonlyArray<ItemBatchResult>
    }>
    /** Read an item (GET /api/v1/items/:externalId, permission items:read) */
    readonly get: (externalId: string, options?: CallOptions) => Promise<Item>
    /** Delete an item (DELETE /api/v1/items/:externalId, permission items:write) */
    readonly remove: (externalId: string, options?: CallOptions) => Promise<null>
  }
  /** Orders */
  readonly orders: {
    /** List the orders of connected stores (GET /api/v1/commerce/orders, permission orders:read) */
    readonly list: (query: {
      /** Which orders, by their state */
      readonly view: "All" | "Paid" | "Pending" | "Abandoned" | "Refunded"
      readonly page?: number | undefined
      readonly pageSize?: number | undefined
      /** Orders of this store only */
      readonly storeId?: string | undefined
      /** Found in order number, email or name */
      readonly search?: string | undefined
      /** Orders of this status only */
      readonly status?: "Pending" | "Paid" | "Completed" | "Cancelled" | "Refunded" | "Failed" | "Draft" | undefined
      readonly days?: number | undefined
    }, options?: CallOptions) => Promise<{
      readonly items: ReadonlyArray<Order>
      readonly page: number
      readonly pageSize: number
      readonly totalCount: number
    }>
  }
  /** Flow trigger */
  readonly flowTrigger: {
    /** Start a flow for a person (POST /flows/:flowId/trigger) */
    readonly trigger: (flowId: string, body: {
      /** Your own id of this call; required */
      readonly id?: string | null | undefined
      /** Your own user id */
      readonly externalId?: string | null | undefined
      /** Required for a new contact */
      readonly email?: string | null | undefined
      readonly firstName?: string | null | undefined
      readonly lastName?: string | null | undefined
      /** Stored unchanged */
      readonly phone?: string | null | undefined
      readonly city?: string | null | undefined
      /** ISO 3166-1 alpha-2 */
      readonly countryCode?: string | null | undefined
      /** BCP 47 */
      readonly language?: string | null | undefined
      /** Values by the contact field's key: a key sent is set, one sent as null removed, others untouched */
      readonly attributes?: {
        readonly [key: string]: unknown
      } | null | undefined
      readonly consent?: {
        readonly basis: string
        readonly proof?: {
          /** The exact words agreed to; required for Subscribed */
          readonly text?: string | null | undefined
          readonly textVersion?: string | null | undefined
          readonly locale?: string | null | undefined
          readonly ipAddress?: string | null | undefined
          readonly givenAt?: string | null | undefined
        } | null | undefined
      } | null | undefined
      /** Topics turned on or off, by the topic's key */
      readonly topics?: {
        readonly [key: string]: boolean
      } | null | undefined
      readonly properties?: unknown | undefined
    }, options: TokenCallOptions) => Promise<{
      readonly contactId: string
      readonly duplicate: boolean
    }>
  }
}

/** The codes of this version; a later one may know more. */
export type KnownErrorCode =
  | "accounts.api_key_expiry_invalid"
  | "accounts.api_key_limit_reached"
  | "accounts.api_key_permission_unknown"
  | "activity.batch_too_large"
  | "activity.event_contact_required"
  | "activity.event_id_invalid"
  | "activity.event_name_invalid"
  | "activity.event_name_reserved"
  | "activity.event_occurred_at_invalid"
  | "activity.event_properties_invalid"
  | "activity.event_properties_too_deep"
  | "activity.event_properties_too_large"
  | "archive.batch_too_large"
  | "archive.header_invalid"
  | "archive.line_invalid"
  | "archive.store_unknown"
  | "audience.attribute_archived"
  | "audience.attribute_exists"
  | "audience.attribute_key_invalid"
  | "audience.attribute_limit_reached"
  | "audience.attribute_not_found"
  | "audience.attribute_reserved"
  | "audience.attribute_type_mismatch"
  | "audience.attribute_unknown"
  | "audience.batch_too_large"
  | "audience.consent_proof_required"
  | "audience.contact_email_required"
  | "audience.contact_erased"
  | "audience.contact_identity_conflict"
  | "audience.contact_limit_reached"
  | "audience.contact_not_found"
  | "audience.contact_reference_invalid"
  | "audience.contact_store_managed"
  | "audience.contact_without_email"
  | "audience.import_column_duplicate"
  | "audience.import_column_unknown"
  | "audience.import_encoding_invalid"
  | "audience.import_finished"
  | "audience.import_header_invalid"
  | "audience.import_identity_required"
  | "audience.import_mapping_invalid"
  | "audience.import_media_type"
  | "audience.import_quote_not_closed"
  | "audience.import_row_columns"
  | "audience.import_row_too_large"
  | "audience.import_target_duplicate"
  | "audience.job_finished"
  | "auth.forbidden"
  | "auth.unauthorized"
  | "automation.already_in_run"
  | "automation.api_trigger_invalid"
  | "automation.duration_invalid"
  | "automation.event_name_invalid"
  | "automation.filter_field_unknown"
  | "automation.flow_archived"
  | "automation.flow_limit_reached"
  | "automation.flow_too_large"
  | "automation.paths_invalid"
  | "automation.purpose_invalid"
  | "automation.run_ended"
  | "automation.segment_flow_limit_reached"
  | "automation.step_id_duplicate"
  | "automation.step_id_invalid"
  | "automation.step_kind_unknown"
  | "automation.step_unreachable"
  | "automation.story_invalid"
  | "automation.time_zone_invalid"
  | "automation.too_deep"
  | "automation.too_many_steps"
  | "automation.too_many_stop_events"
  | "automation.too_many_tags"
  | "automation.topic_not_allowed"
  | "automation.trigger_call_id_invalid"
  | "automation.trigger_contact_required"
  | "automation.trigger_kind_invalid"
  | "automation.trigger_properties_invalid"
  | "automation.url_invalid"
  | "automation.wait_until_invalid"
  | "automation.weight_invalid"
  | "automation.workflow_not_published"
  | "campaigns.approval_own"
  | "campaigns.approval_required"
  | "campaigns.audience_empty"
  | "campaigns.audience_required"
  | "campaigns.audience_too_large"
  | "campaigns.content_ambiguous"
  | "campaigns.content_invalid"
  | "campaigns.content_required"
  | "campaigns.email_not_resendable"
  | "campaigns.html_clipped"
  | "campaigns.image_text_missing"
  | "campaigns.limit_reached"
  | "campaigns.link_questionable"
  | "campaigns.local_time_passed"
  | "campaigns.many_capped"
  | "campaigns.mostly_unreachable"
  | "campaigns.not_editable"
  | "campaigns.overlap"
  | "campaigns.postal_address_missing"
  | "campaigns.preheader_missing"
  | "campaigns.schedule_invalid"
  | "campaigns.schedule_past"
  | "campaigns.segment_not_found"
  | "campaigns.slug_taken"
  | "campaigns.standing"
  | "campaigns.status_conflict"
  | "campaigns.takes_days"
  | "campaigns.test_address_refused"
  | "campaigns.test_invalid"
  | "campaigns.test_limit_reached"
  | "campaigns.test_with_local_time"
  | "campaigns.text_missing"
  | "campaigns.unsubscribe_hidden"
  | "campaigns.variant_not_found"
  | "catalog.batch_too_large"
  | "catalog.item_attributes_invalid"
  | "catalog.item_categories_invalid"
  | "catalog.item_currency_invalid"
  | "catalog.item_description_invalid"
  | "catalog.item_id_invalid"
  | "catalog.item_kind_invalid"
  | "catalog.item_name_invalid"
  | "catalog.item_name_missing"
  | "catalog.item_not_found"
  | "catalog.item_price_invalid"
  | "catalog.item_stock_quantity_invalid"
  | "catalog.item_url_invalid"
  | "catalog.items_limit"
  | "commerce.batch_too_large"
  | "commerce.currency_invalid"
  | "commerce.event_name_unknown"
  | "commerce.event_not_kept"
  | "commerce.event_person_required"
  | "commerce.event_unusable"
  | "commerce.store_disconnected"
  | "commerce.store_erasing"
  | "commerce.store_exists"
  | "commerce.store_limit_reached"
  | "common.body_too_complex"
  | "common.body_too_large"
  | "common.edited_meanwhile"
  | "common.encoding_unsupported"
  | "common.internal"
  | "common.method_not_allowed"
  | "common.not_found"
  | "common.rate_limited"
  | "common.too_many_reads"
  | "common.too_many_streams"
  | "common.unavailable"
  | "deliverability.domain_exists"
  | "deliverability.domain_invalid"
  | "deliverability.mail_host_missing"
  | "deliverability.sender_domain_not_verified"
  | "deliverability.sender_not_aligned"
  | "images.in_use"
  | "images.limit_reached"
  | "images.too_large"
  | "images.type_unknown"
  | "relays.feedback_unknown"
  | "relays.limit_reached"
  | "relays.unknown"
  | "relays.url_invalid"
  | "segments.built_in"
  | "segments.field_unknown"
  | "segments.in_use"
  | "segments.join_invalid"
  | "segments.limit_reached"
  | "segments.not_found"
  | "segments.operator_invalid"
  | "segments.too_many_rules"
  | "segments.value_invalid"
  | "sending.attachment_invalid"
  | "sending.attachments_too_large"
  | "sending.attachments_too_many"
  | "sending.content_ambiguous"
  | "sending.content_erased"
  | "sending.content_required"
  | "sending.email_not_cancellable"
  | "sending.email_not_in_review"
  | "sending.header_invalid"
  | "sending.header_not_allowed"
  | "sending.headers_too_many"
  | "sending.idempotency_conflict"
  | "sending.idempotency_key_invalid"
  | "sending.idempotency_key_mismatch"
  | "sending.message_unreadable"
  | "sending.metadata_invalid"
  | "sending.no_link"
  | "sending.observation_exists"
  | "sending.queue_full"
  | "sending.recipients_too_many"
  | "sending.send_at_too_far"
  | "sending.standing_not_held"
  | "sending.tags_invalid"
  | "sending.template_invalid"
  | "sending.template_limit_reached"
  | "sending.template_not_found"
  | "sending.template_render_failed"
  | "sending.variables_invalid"
  | "shaping.address_invalid"
  | "shaping.count_changed"
  | "shaping.lane_invalid"
  | "shaping.limit_reached"
  | "shaping.pool_exists"
  | "shaping.pool_in_use"
  | "shaping.pool_unknown"
  | "shaping.source_exists"
  | "shaping.until_invalid"
  | "templates.in_use"
  | "tokens.limit_reached"
  | "tokens.right_exceeds"
  | "topics.archived"
  | "topics.exists"
  | "topics.in_use"
  | "topics.key_invalid"
  | "topics.not_found"
  | "users.access_required"
  | "users.already_member"
  | "users.code_invalid"
  | "users.confirmation_required"
  | "users.device_expired"
  | "users.device_pending"
  | "users.factor_exists"
  | "users.factor_required"
  | "users.last_operator"
  | "users.last_owner"
  | "users.link_invalid"
  | "users.passkey_invalid"
  | "users.passkey_limit_reached"
  | "users.password_weak"
  | "users.provider_failed"
  | "users.provider_required"
  | "users.request_forged"
  | "users.right_missing"
  | "users.sign_in_failed"
  | "users.too_many_attempts"
  | "validation.email"
  | "validation.format"
  | "validation.max_length"
  | "validation.min_length"
  | "validation.range"
  | "validation.required"
  | "validation.type"
  | "validation.unknown_field"
  | "views.limit_reached"
  | "webhooks.attempts_exhausted"
  | "webhooks.event_unknown"
  | "webhooks.limit_reached"
  | "webhooks.stopped"
  | "webhooks.url_invalid"

/** How each call is sent. */
export const operations: Operations<Client> = {
  contactFields: {
    create: { method: "POST", path: "/api/v1/contact-attributes", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/api/v1/contact-attributes", params: 0, body: false, query: false, key: false, token: false },
    update: { method: "PATCH", path: "/api/v1/contact-attributes/:key", params: 1, body: true, query: false, key: false, token: false }
  },
  contacts: {
    write: { method: "POST", path: "/api/v1/contacts", params: 0, body: true, query: false, key: false, token: false },
    writeBatch: { method: "POST", path: "/api/v1/contacts/batch", params: 0, body: true, query: false, key: false, token: false },
    list: { method: "GET", path: "/api/v1/contacts", params: 0, body: false, query: true, key: false, token: false },
    get: { method: "GET", path: "/api/v1/contacts/:reference", params: 1, body: false, query: false, key: false, token: false },
    erase: { method: "DELETE", path: "/api/v1/contacts/:reference", params: 1, body: false, query: false, key: false, token: false }
  },
  segments: {
    list: { method: "GET", path: "/api/v1/segments", params: 0, body: false, query: false, key: false, token: false }
  },
  topics: {
    list: { method: "GET", path: "/api/v1/topics", params: 0, body: false, query: false, key: false, token: false }
  },
  events: {
    accept: { method: "POST", path: "/api/v1/events", params: 0, body: true, query: false, key: false, token: false }
  },
  sending: {
    submit: { method: "POST", path: "/api/v1/sending/emails", params: 0, body: true, query: false, key: true, token: false },
    get: { method: "GET", path: "/api/v1/sending/emails/:id", params: 1, body: false, query: false, key: false, token: false }
  },
  items: {
    write: { method: "POST", path: "/api/v1/items", params: 0, body: true, query: false, key: false, token: false },
    writeBatch: { method: "POST", path: "/api/v1/items/batch", params: 0, body: true, query: false, key: false, token: false },
    get: { method: "GET", path: "/api/v1/items/:externalId", params: 1, body: false, query: false, key: false, token: false },
    remove: { method: "DELETE", path: "/api/v1/items/:externalId", params: 1, body: false, query: false, key: false, token: false }
  },
  orders: {
    list: { method: "GET", path: "/api/v1/commerce/orders", params: 0, body: false, query: true, key: false, token: false }
  },
  flowTrigger: {
    trigger: { method: "POST", path: "/flows/:flowId/trigger", params: 1, body: true, query: false, key: false, token: true }
  }
}
