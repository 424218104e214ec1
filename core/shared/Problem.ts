/**
 * What the service refuses, and how it says so: the one catalogue of error codes, the one tagged error
 * of the core, and its sibling for an engine out of reach. Adapters translate these; they add no codes.
 *
 * @module
 */
import { Data, Result } from "effect"

/** One entry of the catalogue: the HTTP status a code is answered with, and its English message for logs. */
interface CatalogueEntry {
  readonly status: number
  readonly message: string
}

/**
 * Every code the service answers. Codes are stable and branched on by customers; messages may change.
 * Source: public-api "Error codes given", decisions 2 to 8.
 */
export const catalogue = {
  "accounts.api_key_limit_reached": {
    status: 400,
    message: "The account already has the most active API keys it may have."
  },
  "accounts.api_key_expiry_invalid": { status: 400, message: "expiresInDays must be 30, 90, 365 or null." },
  "accounts.api_key_permission_unknown": { status: 400, message: "The permission is unknown." },
  "activity.batch_too_large": { status: 400, message: "A call reports 1 to 100 events." },
  "activity.event_contact_required": {
    status: 400,
    message: "An event's contact needs an id, externalId or email."
  },
  "activity.event_id_invalid": { status: 400, message: "An event needs an id of 1 to 200 characters." },
  "activity.event_name_invalid": {
    status: 400,
    message: "A name is up to 64 lowercase letters, digits, _ and ., a letter first."
  },
  "activity.event_name_reserved": {
    status: 400,
    message: "The name begins as only the service's own events do."
  },
  "activity.event_occurred_at_invalid": {
    status: 400,
    message: "occurredAt is a date-time with offset, at most 30 days ago and not in the future."
  },
  "activity.event_properties_invalid": { status: 400, message: "properties is a JSON object." },
  "activity.event_properties_too_deep": { status: 400, message: "properties has more than 3 levels." },
  "activity.event_properties_too_large": {
    status: 400,
    message: "properties has more than 16 KB as compact JSON."
  },
  "archive.batch_too_large": { status: 400, message: "A batch of an archive holds up to 1,000 lines." },
  "archive.header_invalid": {
    status: 400,
    message: "The first line must be the header of an archive that this version can read."
  },
  "archive.line_invalid": { status: 400, message: "The line is none of an archive." },
  "archive.store_unknown": { status: 400, message: "The account has no store of that platform and domain." },
  "audience.attribute_archived": { status: 400, message: "The contact field is archived." },
  "audience.attribute_exists": {
    status: 409,
    message: "The account already has a contact field of that key."
  },
  "audience.attribute_key_invalid": {
    status: 400,
    message: "A key is up to 40 lowercase letters, digits and underscores, a letter first."
  },
  "audience.attribute_limit_reached": {
    status: 400,
    message: "The account already has the most contact fields it may have."
  },
  "audience.attribute_not_found": { status: 404, message: "The account has no contact field of that key." },
  "audience.attribute_reserved": { status: 400, message: "The key is the name of a built-in field." },
  "audience.attribute_type_mismatch": {
    status: 400,
    message: "The value is not of the contact field's type."
  },
  "audience.attribute_unknown": { status: 400, message: "The account has no contact field of that key." },
  "audience.batch_too_large": { status: 400, message: "A batch holds up to 1,000 contacts." },
  "audience.consent_proof_required": {
    status: 400,
    message: "Consent Subscribed needs proof.text, the exact words agreed to."
  },
  "audience.contact_email_required": { status: 400, message: "A new contact needs an email address." },
  "audience.contact_erased": {
    status: 409,
    message: "The person of this address was erased; an import does not bring them back."
  },
  "audience.contact_identity_conflict": {
    status: 409,
    message: "The identifiers given point at two different contacts."
  },
  "audience.contact_limit_reached": { status: 400, message: "The plan's contact allowance is used up." },
  "audience.contact_not_found": { status: 404, message: "No such contact." },
  "audience.contact_reference_invalid": {
    status: 400,
    message: "A reference is a contact id, ext:<your user id> or email:<address>."
  },
  "audience.contact_store_managed": {
    status: 400,
    message: "A connected store manages this contact's email, id and consent."
  },
  "audience.import_column_duplicate": {
    status: 400,
    message: "The file has two columns of that name; the mapping cannot tell them apart."
  },
  "audience.import_column_unknown": { status: 400, message: "The file has no column of that name." },
  "audience.import_encoding_invalid": { status: 400, message: "The file is not UTF-8 text." },
  "audience.import_finished": { status: 409, message: "The import is over." },
  "audience.import_header_invalid": {
    status: 400,
    message: "The file's first row must name its columns, at most 500 of them."
  },
  "audience.import_identity_required": {
    status: 400,
    message: "A column must be mapped to email, externalId or id."
  },
  "audience.import_mapping_invalid": {
    status: 400,
    message:
      "A column maps to a contact field, attributes.<key>, topics.<key>, consent.basis, consent.proof.<field> or ignored."
  },
  "audience.import_media_type": { status: 415, message: "Send the file as it is, as text/csv." },
  "audience.import_quote_not_closed": {
    status: 400,
    message: "A quote that begins on this line is not closed."
  },
  "audience.import_row_columns": {
    status: 400,
    message: "The row has another number of fields than the header."
  },
  "audience.import_row_too_large": {
    status: 400,
    message: "The row is too large; often a quote that begins on this line is not closed."
  },
  "audience.import_target_duplicate": { status: 400, message: "Two columns are mapped to the same field." },
  "auth.forbidden": { status: 403, message: "The key lacks the permission for this call." },
  "auth.unauthorized": { status: 401, message: "A valid key is required." },
  "automation.api_trigger_invalid": { status: 401, message: "The token does not start this flow." },
  "automation.duration_invalid": {
    status: 400,
    message:
      "A duration is ISO 8601 weeks, days, hours, minutes or seconds, such as P3D or PT90M, at most 366 days."
  },
  "automation.event_name_invalid": {
    status: 400,
    message: "An event's name is up to 64 lowercase letters, digits, underscores and dots, a letter first."
  },
  "automation.filter_field_unknown": {
    status: 400,
    message: "A rule is about event.<property>, and in a Branch about a field of the contact."
  },
  "automation.flow_archived": { status: 409, message: "The flow is archived." },
  "automation.flow_limit_reached": {
    status: 400,
    message: "The account already has the most flows it may have."
  },
  "automation.flow_too_large": { status: 400, message: "The flow's definition is too large." },
  "automation.paths_invalid": { status: 400, message: "A Split has 2 to 10 paths." },
  "automation.purpose_invalid": { status: 400, message: "An email's purpose is Transactional or Marketing." },
  "automation.step_id_duplicate": { status: 400, message: "Two steps of the flow have this id." },
  "automation.step_id_invalid": {
    status: 400,
    message: "A step needs an id of 1 to 64 letters, digits, underscores and hyphens."
  },
  "automation.step_kind_unknown": { status: 400, message: "There is no such kind of step." },
  "automation.step_unreachable": { status: 400, message: "No run can reach this step." },
  "automation.story_invalid": { status: 400, message: "The story has too many events." },
  "automation.time_zone_invalid": { status: 400, message: "Not an IANA time zone." },
  "automation.too_deep": { status: 400, message: "Steps lie too deep within steps." },
  "automation.too_many_steps": { status: 400, message: "The flow has too many steps." },
  "automation.too_many_stop_events": { status: 400, message: "The flow has too many stop events." },
  "automation.too_many_tags": { status: 400, message: "Too many tags." },
  "automation.topic_not_allowed": { status: 400, message: "Only a Marketing email has a topic." },
  "automation.trigger_call_id_invalid": {
    status: 400,
    message: "A call needs an id of 1 to 100 characters."
  },
  "automation.trigger_contact_required": { status: 400, message: "A call needs email or externalId." },
  "automation.trigger_kind_invalid": { status: 400, message: "A trigger's kind is Event or Api." },
  "automation.trigger_properties_invalid": {
    status: 400,
    message: "properties is a JSON object of at most 16 KB and 3 levels."
  },
  "automation.url_invalid": { status: 400, message: "Not a public https URL." },
  "automation.wait_until_invalid": { status: 400, message: "WaitUntil takes at or time, one of the two." },
  "automation.weight_invalid": {
    status: 400,
    message: "A weight is a number from 0 to 1,000,000, and one of a Split's is more than 0."
  },
  "automation.workflow_not_published": { status: 409, message: "The flow is not published." },
  "catalog.batch_too_large": { status: 400, message: "A batch holds up to 1,000 items." },
  "catalog.item_attributes_invalid": {
    status: 400,
    message:
      "attributes take up to 100 names of 1 to 100 characters, each a text, number, boolean or list of texts."
  },
  "catalog.item_categories_invalid": {
    status: 400,
    message: "categories are up to 50 texts of 1 to 200 characters."
  },
  "catalog.item_currency_invalid": {
    status: 400,
    message: "A price needs a currency, a code of ISO 4217."
  },
  "catalog.item_description_invalid": { status: 400, message: "The description is too long or not text." },
  "catalog.item_id_invalid": { status: 400, message: "An item needs an id of 1 to 200 characters." },
  "catalog.item_kind_invalid": { status: 400, message: "A kind is product, plan, service or other." },
  "catalog.item_name_invalid": { status: 400, message: "The name is too long or not text." },
  "catalog.item_name_missing": { status: 400, message: "An item needs a name." },
  "catalog.item_not_found": { status: 404, message: "The catalogue has no item of that id." },
  "catalog.item_price_invalid": {
    status: 400,
    message: "A price is a number of 0 or more, with up to 15 digits before and after the point."
  },
  "catalog.item_stock_quantity_invalid": { status: 400, message: "stockQuantity is a 32-bit whole number." },
  "catalog.item_url_invalid": { status: 400, message: "The address is not an http or https URL." },
  "catalog.items_limit": { status: 400, message: "The catalogue already holds the most items it may." },
  "commerce.batch_too_large": { status: 400, message: "A call holds 1 to 1,000 events." },
  "commerce.currency_invalid": { status: 400, message: "A currency is a code of ISO 4217." },
  "commerce.event_name_unknown": { status: 400, message: "Stores report no event of that name." },
  "commerce.event_person_required": { status: 400, message: "The event needs a customer id or an email." },
  "commerce.store_erasing": {
    status: 409,
    message: "What came from that store is being erased; it can be connected once that is done."
  },
  "commerce.store_exists": {
    status: 409,
    message: "A store of that platform and domain is connected already."
  },
  "commerce.store_limit_reached": { status: 400, message: "The account already has the most stores it may." },
  "common.body_too_large": { status: 413, message: "The request body is too large." },
  "common.internal": { status: 500, message: "Something went wrong on our side." },
  "common.method_not_allowed": { status: 405, message: "The path does not answer this method." },
  "common.not_found": { status: 404, message: "Not found." },
  "common.rate_limited": { status: 429, message: "Too many calls in this minute." },
  "common.unavailable": { status: 503, message: "Cannot answer now; try again later." },
  "deliverability.domain_exists": { status: 409, message: "The account already has this domain." },
  "deliverability.domain_invalid": { status: 400, message: "Not a domain name mail can be sent from." },
  "deliverability.sender_domain_not_verified": {
    status: 400,
    message: "The sender is not on a verified domain of the account."
  },
  "segments.built_in": { status: 400, message: "A built-in segment cannot be changed or deleted." },
  "segments.field_unknown": {
    status: 400,
    message: "A rule's fieldKey is a built-in, attributes.<key>, topics.<key> or events.<name>."
  },
  "segments.join_invalid": { status: 400, message: "A definition's join is All or Any." },
  "segments.not_found": { status: 404, message: "No such segment." },
  "segments.operator_invalid": { status: 400, message: "The field has no such operator." },
  "segments.too_many_rules": { status: 400, message: "The definition has too many rules." },
  "segments.value_invalid": { status: 400, message: "The operator does not take this value." },
  "sending.attachment_invalid": {
    status: 400,
    message:
      "An attachment has a filename without a path, a contentType type/subtype, base64 content and an optional contentId of its own."
  },
  "sending.attachments_too_large": { status: 400, message: "The attachments together are too large." },
  "sending.attachments_too_many": { status: 400, message: "An email has too many attachments." },
  "sending.content_ambiguous": {
    status: 400,
    message: "An email is either subject with html or text, or templateId with variables, not both."
  },
  "sending.content_required": {
    status: 400,
    message: "An email needs a subject with html or text, or a templateId."
  },
  "sending.email_not_cancellable": {
    status: 409,
    message: "The email waits for nothing any more: none of its deliveries is queued."
  },
  "sending.header_invalid": {
    status: 400,
    message: "A header's value is printable text of one line."
  },
  "sending.header_not_allowed": {
    status: 400,
    message:
      "Only X-... headers but the service's own, In-Reply-To and References can be given, the latter two once."
  },
  "sending.headers_too_many": { status: 400, message: "An email has too many headers." },
  "sending.idempotency_conflict": {
    status: 409,
    message: "The idempotency key was used for a different message."
  },
  "segments.limit_reached": {
    status: 400,
    message: "The account already has the most segments it may have."
  },
  "sending.idempotency_key_invalid": {
    status: 400,
    message: "An idempotency key is 1 to 150 visible ASCII characters."
  },
  "sending.idempotency_key_mismatch": {
    status: 400,
    message: "The Idempotency-Key header and idempotencyKey differ."
  },
  "sending.message_unreadable": {
    status: 400,
    message: "The message cannot be read: too many parts, too long a header, or no MIME structure."
  },
  "sending.metadata_invalid": {
    status: 400,
    message: "metadata takes up to 20 names of 1 to 64 of A-Z a-z 0-9 _ . -, values up to 256 characters."
  },
  "sending.recipients_too_many": { status: 400, message: "An email has too many recipients." },
  "sending.send_at_too_far": { status: 400, message: "sendAt is too far ahead." },
  "sending.tags_invalid": {
    status: 400,
    message: "tags takes up to 20 names of 1 to 64 of A-Z a-z 0-9 _ . -, values up to 256 characters."
  },
  "sending.template_invalid": {
    status: 400,
    message: "The template does not parse; params say the line and column."
  },
  "sending.template_limit_reached": {
    status: 400,
    message: "The account already has the most templates it may have."
  },
  "sending.template_not_found": { status: 400, message: "The account has no template of that id." },
  "sending.template_render_failed": {
    status: 400,
    message:
      "The template cannot be rendered with these variables: it takes too long, too much memory, or a value it cannot take."
  },
  "sending.variables_invalid": { status: 400, message: "variables are too large or too deep." },
  "topics.archived": { status: 400, message: "The topic is archived." },
  "topics.exists": { status: 409, message: "The account already has a topic of that key." },
  "topics.key_invalid": {
    status: 400,
    message: "A key is up to 40 lowercase letters, digits and underscores, a letter first."
  },
  "topics.not_found": { status: 400, message: "The account has no topic of that key." },
  "validation.email": { status: 400, message: "Not a valid email address." },
  "validation.format": { status: 400, message: "The value does not have the required format." },
  "validation.max_length": { status: 400, message: "The value is too long." },
  "validation.min_length": { status: 400, message: "The value is too short." },
  "validation.range": { status: 400, message: "The value is out of range." },
  "validation.required": { status: 400, message: "The value is required." },
  "validation.type": { status: 400, message: "The value has the wrong type." },
  "webhooks.event_unknown": { status: 400, message: "There is no such webhook event." },
  "webhooks.limit_reached": {
    status: 400,
    message: "The account already has the most active webhooks it may have."
  },
  "webhooks.stopped": {
    status: 409,
    message: "The webhook was stopped after too many failures in a row; delete it and add it again."
  },
  "webhooks.url_invalid": {
    status: 400,
    message: "A webhook's url is an https address on the public internet, without user name or password."
  }
} as const satisfies Record<string, CatalogueEntry>

/** A code of the catalogue. */
export type Code = keyof typeof catalogue

/** Numbers that explain a refusal, such as `max`. */
export type Params = Readonly<Record<string, number>>

/** One thing wrong: its code, the request field it is about (a path such as `consent.proof.text`) and numbers. */
export interface Issue {
  readonly code: Code
  readonly field: string | null
  readonly params: Params | null
}

/** Makes an {@link Issue}. */
export const issue = (code: Code, field: string | null = null, params: Params | null = null): Issue => ({
  code,
  field,
  params
})

/** Collects the issues of one request while it is validated. */
export class Issues {
  readonly list: Array<Issue> = []

  /** Adds an issue. */
  add(code: Code, field: string | null = null, params: Params | null = null): void {
    this.list.push(issue(code, field, params))
  }

  /** The value, where no issue was found; else the problem of all issues. */
  result<A>(value: A): Result.Result<A, Problem> {
    const problem = Problem.from(this.list)
    return problem === undefined ? Result.succeed(value) : Result.fail(problem)
  }
}

/**
 * The one error of the core: a request is refused for at least one {@link Issue}, and nothing was changed.
 * Its HTTP status is that of the first issue.
 */
export class Problem extends Data.TaggedError("Problem")<{
  readonly issues: readonly [Issue, ...Array<Issue>]
}> {
  /** A problem of a single issue. */
  static of(code: Code, field: string | null = null, params: Params | null = null): Problem {
    return new Problem({ issues: [issue(code, field, params)] })
  }

  /** A problem of the issues found, or undefined where there are none. */
  static from(issues: ReadonlyArray<Issue>): Problem | undefined {
    const [first, ...rest] = issues
    return first === undefined ? undefined : new Problem({ issues: [first, ...rest] })
  }

  override get message(): string {
    return this.issues.map((entry) => entry.code).join(", ")
  }

  /** The HTTP status of the first issue. */
  get status(): number {
    return catalogue[this.issues[0].code].status
  }
}

/** An engine the service depends on cannot be reached; nothing half-written remains and the call may be repeated. */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly cause: unknown
}> {}
