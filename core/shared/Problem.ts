/**
 * The catalogue of error codes, the only error type of the core (`Problem`), and `Unavailable` for an unavailable database.
 * Adapters translate these and add no codes of their own.
 *
 * @module
 */
import { Data, Result } from "effect"
import type { Json } from "./Json.ts"

/** An entry of the catalogue: the HTTP status of a code, and its English message for logs. */
interface CatalogueEntry {
  readonly status: number
  readonly message: string
  /**
   * More specific messages, with the placeholders `{field}`, `{key}` (the last part of the field), `{<param>}` and `{<detail>}`.
   * The first message for which the issue has all values replaces `message`.
   */
  readonly explained?: string | ReadonlyArray<string>
  /** The details that the response shows to programs in addition to the message. */
  readonly returns?: ReadonlyArray<string>
  /** The number of seconds after which the call may succeed. */
  readonly retryAfter?: number
}

/**
 * Every error code that the service returns. Codes are stable, since callers branch on them; messages may change. Source:
 * docs/contributing/public-api.md "Error codes given", docs/contributing/decisions.md 2 to 8.
 */
export const catalogue = {
  "accounts.api_key_limit_reached": {
    status: 400,
    message: "The account must have at most 10 active API keys.",
    explained: "The account must have at most {max} active API keys; revoke one that is not used."
  },
  "accounts.api_key_expiry_invalid": {
    status: 400,
    message: "expiresInDays must be 30, 90, 365 or null.",
    explained: "{value} is not possible: expiresInDays must be 30, 90, 365 or null."
  },
  "accounts.api_key_permission_unknown": {
    status: 400,
    message: "permissions must name permissions that exist.",
    explained: "{value} is not a permission; the permissions are {known}."
  },
  "activity.batch_too_large": {
    status: 400,
    message: "events must have 1 to 100 events.",
    explained: "events has {found} events, and must have 1 to {max}."
  },
  "activity.event_contact_required": {
    status: 400,
    message: "contact must have an id, externalId or email."
  },
  "activity.event_id_invalid": { status: 400, message: "id must be a string of 1 to 200 characters." },
  "activity.event_name_invalid": {
    status: 400,
    message: "name must be 1 to 64 lowercase letters, digits, underscores and dots, beginning with a letter.",
    explained:
      "{value} is not an event name: it must be 1 to 64 lowercase letters, digits, underscores and dots, beginning with a letter."
  },
  "activity.event_name_reserved": {
    status: 400,
    message: "name must not begin with a prefix of the service's own events.",
    explained: "{value} must not begin with a prefix of the service's own events: {known}."
  },
  "activity.event_occurred_at_invalid": {
    status: 400,
    message: "occurredAt must be a date-time with offset, at most 30 days ago and not in the future.",
    explained:
      "{value} is not possible: occurredAt must be a date-time with offset, at most 30 days ago and not in the future."
  },
  "activity.event_properties_invalid": { status: 400, message: "properties must be a JSON object." },
  "activity.event_properties_too_deep": { status: 400, message: "properties must have at most 3 levels." },
  "activity.event_properties_too_large": {
    status: 400,
    message: "properties must be at most 16 KB as compact JSON."
  },
  "archive.batch_too_large": { status: 400, message: "A batch of an archive must have at most 1,000 lines." },
  "archive.header_invalid": {
    status: 400,
    message: "The first line must be the header of an archive that this version can read."
  },
  "archive.line_invalid": { status: 400, message: "The line must be a line of an archive." },
  "archive.store_unknown": {
    status: 400,
    message: "The store must be a connected store of the account with that platform and domain.",
    explained: "Connect store {value} to the account first: the line names it by platform and domain."
  },
  "audience.attribute_archived": {
    status: 400,
    message: "The contact field is archived.",
    explained:
      "The contact field {key} is archived: it can be read, but not written before PATCH /api/v1/contact-attributes/{key} sets archived to false."
  },
  "audience.attribute_exists": {
    status: 409,
    message: "key must not be the key of another contact field of the account.",
    explained: "The account already has a contact field {value}."
  },
  "audience.attribute_key_invalid": {
    status: 400,
    message: "key must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.",
    explained: [
      "{value} is not a key: it must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.",
      "{key} is not a key: it must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter."
    ]
  },
  "audience.attribute_limit_reached": {
    status: 400,
    message: "The account must have at most 100 contact fields.",
    explained:
      "The account must have at most {max} contact fields, archived ones included; use one of those that it has."
  },
  "audience.attribute_not_found": {
    status: 404,
    message:
      "The account has no contact field with this key; GET /api/v1/contact-attributes lists those it has."
  },
  "audience.attribute_reserved": {
    status: 400,
    message: "key must not be the name of a built-in field.",
    explained: [
      "{value} is the name of a built-in field; choose another key.",
      "{key} is the name of a built-in field, which is not an attribute."
    ]
  },
  "audience.attribute_type_mismatch": {
    status: 400,
    message: "The value must have the type of the contact field.",
    explained: ["{key} must be {expected}, at most {max} long.", "{key} must be {expected}."]
  },
  "audience.attribute_unknown": {
    status: 400,
    message: "The key must be that of a contact field of the account.",
    explained: [
      "The account has no contact field {key}; {builtIn} is a built-in field, which is given beside attributes.",
      "The account has no contact field {key}; create it with POST /api/v1/contact-attributes, or correct the key."
    ]
  },
  "audience.batch_too_large": {
    status: 400,
    message: "contacts must have at most 1,000 contacts.",
    explained: "contacts has {found} contacts, and must have at most {max}."
  },
  "audience.consent_proof_required": {
    status: 400,
    message: "consent.proof.text must be the exact words agreed to when the basis is Subscribed."
  },
  "audience.contact_email_required": { status: 400, message: "email must be given for a new contact." },
  "audience.contact_erased": {
    status: 409,
    message:
      "email must not be the address of an erased person. Imports, and with keepErased all writes, do not add erased people again."
  },
  "audience.contact_without_email": {
    status: 409,
    message: "The contact must have an email address."
  },
  "audience.contact_identity_conflict": {
    status: 409,
    message:
      "The identifiers must belong to one contact; they belong to two. Send only one of them, or correct one contact first."
  },
  "audience.contact_limit_reached": {
    status: 400,
    message: "The account has reached its limit of contacts.",
    explained:
      "The account has {max} contacts, the limit of its setting contactLimit: erase some, or raise it."
  },
  "audience.contact_not_found": { status: 404, message: "The account has no such contact." },
  "audience.contact_reference_invalid": {
    status: 400,
    message: "The reference must be a contact id, ext:<external id> or email:<address>."
  },
  "audience.contact_store_managed": {
    status: 400,
    message:
      "A connected store manages this contact's email, id and consent: change them there. Unsubscribing is always possible."
  },
  "audience.import_column_duplicate": {
    status: 400,
    message: "Column names must be unique; the file has two columns with this name.",
    explained: "The file has two columns {value}: their names must be unique."
  },
  "audience.import_column_unknown": {
    status: 400,
    message: "The column must be a column of the file.",
    explained: "The file has no column {value}: name a column as the first row has it."
  },
  "audience.import_encoding_invalid": { status: 400, message: "The file must be encoded in UTF-8." },
  "views.limit_reached": {
    status: 400,
    message: "There must be at most 100 views of the list.",
    explained: "There must be at most {max} views of the list; delete one that is not used."
  },
  "audience.job_finished": { status: 409, message: "The job has ended." },
  "audience.import_finished": { status: 409, message: "The import has ended." },
  "audience.import_header_invalid": {
    status: 400,
    message: "The file's first row must name its columns, at most 500."
  },
  "audience.import_identity_required": {
    status: 400,
    message: "A column must be mapped to email, externalId or id."
  },
  "audience.import_mapping_invalid": {
    status: 400,
    message:
      "A column must be mapped to a contact field, attributes.<key>, topics.<key>, consent.basis, consent.proof.<field> or ignored."
  },
  "audience.import_media_type": { status: 415, message: "The body must be the file itself, as text/csv." },
  "audience.import_quote_not_closed": {
    status: 400,
    message: "A quote that begins on this line must be closed."
  },
  "audience.import_row_columns": {
    status: 400,
    message: "The row must have as many fields as the header.",
    explained: "The row has {found} fields, and the header {expected}: the row must have as many."
  },
  "audience.import_row_too_large": {
    status: 400,
    message: "The row must be at most 512 KB; often a quote that begins on this line is not closed."
  },
  "audience.import_target_duplicate": {
    status: 400,
    message: "Two columns must not be mapped to the same field.",
    explained: "Two columns are mapped to {value}; map one of them to ignored."
  },
  "auth.forbidden": {
    status: 403,
    message: "The key must have the permission for this call.",
    explained: "The key lacks the permission {permission}; use a key that has it."
  },
  "auth.unauthorized": { status: 401, message: "The call must have a valid key.", explained: "{reason}" },
  "automation.already_in_run": {
    status: 409,
    message: "The contact has an active run of this flow: wait until it ends, or stop it."
  },
  "automation.api_trigger_invalid": {
    status: 401,
    message: "The token must be that of this flow.",
    explained: "{reason}"
  },
  "automation.duration_invalid": {
    status: 400,
    message:
      "A duration must be ISO 8601 weeks, days, hours, minutes or seconds, such as P3D or PT90M, at most 366 days.",
    explained:
      "{value} is not a duration: a duration must be ISO 8601 weeks, days, hours, minutes or seconds, such as P3D or PT90M, at most 366 days."
  },
  "automation.event_name_invalid": {
    status: 400,
    message:
      "An event's name must be 1 to 64 lowercase letters, digits, underscores and dots, beginning with a letter.",
    explained:
      "{value} is not an event name: an event's name must be 1 to 64 lowercase letters, digits, underscores and dots, beginning with a letter."
  },
  "automation.filter_field_unknown": {
    status: 400,
    message: "A rule's fieldKey must be event.<property>, or in a Branch also a field of the contact.",
    explained:
      "{value} is not possible here: a rule's fieldKey must be event.<property>, or in a Branch also a field of the contact."
  },
  "automation.flow_archived": {
    status: 409,
    message: "The flow is archived and cannot be changed or published again: create a new one."
  },
  "automation.flow_limit_reached": {
    status: 400,
    message: "The account must have at most 500 flows."
  },
  "automation.segment_flow_limit_reached": {
    status: 400,
    message: "The account must have at most 20 published flows that segments start."
  },
  "automation.flow_too_large": { status: 400, message: "The flow's definition must be at most 1 MB." },
  "automation.paths_invalid": { status: 400, message: "paths must have 2 to 10 paths." },
  "automation.purpose_invalid": {
    status: 400,
    message: "purpose must be Transactional or Marketing.",
    explained: "{value} is not a purpose: purpose must be Transactional or Marketing."
  },
  "automation.run_ended": { status: 409, message: "The run has ended already." },
  "automation.step_id_duplicate": {
    status: 400,
    message: "id must be unique among the steps of the flow.",
    explained: "Another step of the flow has the id {value}."
  },
  "automation.step_id_invalid": {
    status: 400,
    message: "id must be 1 to 64 letters, digits, underscores and hyphens.",
    explained: "{value} is not a valid step id: id must be 1 to 64 letters, digits, underscores and hyphens."
  },
  "automation.step_kind_unknown": {
    status: 400,
    message: "kind must be a kind of step.",
    explained: "{value} is not a kind of step; the kinds are {known}."
  },
  "automation.step_unreachable": {
    status: 400,
    message: "Every step must be reachable; no run reaches this one."
  },
  "automation.story_invalid": { status: 400, message: "events must have at most 100 events." },
  "automation.time_zone_invalid": {
    status: 400,
    message: "timeZone must be an IANA time zone, such as Europe/Berlin.",
    explained: "{value} is not a time zone: timeZone must be an IANA time zone, such as Europe/Berlin."
  },
  "automation.too_deep": { status: 400, message: "Steps must be nested at most 10 levels deep." },
  "automation.too_many_steps": { status: 400, message: "The flow must have at most 200 steps." },
  "automation.too_many_stop_events": { status: 400, message: "stopEvents must have at most 10 events." },
  "automation.too_many_tags": { status: 400, message: "tags must have at most 20 tags." },
  "automation.topic_not_allowed": {
    status: 400,
    message: "topic is only for Marketing emails: leave it out, or set purpose to Marketing."
  },
  "automation.trigger_call_id_invalid": {
    status: 400,
    message: "id must be a string of 1 to 100 characters."
  },
  "automation.trigger_contact_required": { status: 400, message: "email or externalId must be given." },
  "automation.trigger_kind_invalid": {
    status: 400,
    message: "A trigger's kind must be Event or Api.",
    explained: "{value} is not a kind of trigger: a trigger's kind must be Event or Api."
  },
  "automation.trigger_properties_invalid": {
    status: 400,
    message: "properties must be a JSON object of at most 16 KB and 3 levels."
  },
  "automation.url_invalid": {
    status: 400,
    message:
      "url must be a public https URL; SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other while you develop."
  },
  "automation.wait_until_invalid": { status: 400, message: "WaitUntil must have either at or time." },
  "automation.weight_invalid": {
    status: 400,
    message: "weight must be a number from 0 to 1,000,000, with one of a Split's weights above 0.",
    explained:
      "{value} is not possible: weight must be a number from 0 to 1,000,000, with one of a Split's weights above 0."
  },
  "automation.workflow_not_published": {
    status: 409,
    message:
      "The flow is not published: publish it with POST /manage/v1/accounts/<id>/flows/<id>/publish; an archived flow cannot be published."
  },
  "campaigns.approval_own": {
    status: 409,
    message: "A campaign is approved by a signed-in user other than the one who changed it last."
  },
  "campaigns.approval_required": {
    status: 409,
    message: "Another user must approve the campaign as it is now, for an audience of this size."
  },
  "campaigns.audience_empty": {
    status: 400,
    message: "audience must select at least one person.",
    explained: "The segments of audience select no one now; choose others."
  },
  "campaigns.audience_required": { status: 400, message: "audience must have at least one segment." },
  "campaigns.audience_too_large": {
    status: 400,
    message: "audience must not select more people than the storage supports.",
    explained:
      "audience must select at most {max} people, the limit of this storage; PostgreSQL has no such limit."
  },
  "campaigns.content_ambiguous": {
    status: 400,
    message: "content must have either templateId or a subject with html or text, and not both."
  },
  "campaigns.content_invalid": {
    status: 400,
    message:
      "content must render for the people in the audience; it failed for some or all of those that were tested. Campaigns have no event. params have the line and column, if known."
  },
  "campaigns.content_required": { status: 400, message: "content must be given." },
  "campaigns.email_not_resendable": {
    status: 409,
    message: "An email of a campaign cannot be sent again: a campaign sends it once to each person."
  },
  "campaigns.html_clipped": {
    status: 400,
    message: "The html is 100 KB or larger: Gmail shows only its beginning."
  },
  "campaigns.image_text_missing": {
    status: 400,
    message: "Each image should have alternative text (alt), which many people see first or hear."
  },
  "campaigns.limit_reached": {
    status: 400,
    message: "The account must have at most 20,000 campaigns, of which at most 50 are sent at the same time."
  },
  "campaigns.link_questionable": {
    status: 400,
    message: "Links should begin with https, lead to a public host and contain no remaining braces."
  },
  "campaigns.local_time_passed": {
    status: 400,
    message: "For some people the local time of the schedule has passed."
  },
  "campaigns.many_capped": {
    status: 400,
    message: "More than 10 % of the people already had as many marketing emails as a frequency cap allows."
  },
  "campaigns.mostly_unreachable": {
    status: 400,
    message: "More than half of the people cannot get this campaign now."
  },
  "campaigns.not_editable": {
    status: 409,
    message: "The status of the campaign does not allow this change.",
    explained: "{field} cannot be changed while the campaign is {status}."
  },
  "campaigns.overlap": {
    status: 400,
    message: "More than half of these people get another campaign within 24 hours."
  },
  "campaigns.postal_address_missing": {
    status: 400,
    message: "The brand has no postal address, which marketing email must show in many countries."
  },
  "campaigns.preheader_missing": {
    status: 400,
    message: "Without a preheader, mail programs show the beginning of the content next to the subject."
  },
  "campaigns.schedule_invalid": {
    status: 400,
    message:
      "schedule must have either at, a date-time with offset, or localTime, YYYY-MM-DDTHH:MM, at most 366 days ahead."
  },
  "campaigns.schedule_past": { status: 400, message: "schedule must not be in the past." },
  "campaigns.segment_not_found": { status: 400, message: "audience must name segments that exist." },
  "campaigns.slug_taken": {
    status: 409,
    message: "Another campaign of the account has this slug."
  },
  "campaigns.standing": {
    status: 409,
    message:
      "The account's marketing email is held because of its standing; no campaign starts until the hold is lifted."
  },
  "campaigns.status_conflict": {
    status: 409,
    message: "The status of the campaign does not allow this.",
    explained: "This is not possible while the campaign is {status}."
  },
  "campaigns.takes_days": {
    status: 400,
    message: "With this pace and the account's daily limit, sending takes more than a day."
  },
  "campaigns.text_missing": {
    status: 400,
    message: "The content has no text; a text part is made from the html."
  },
  "campaigns.test_address_refused": {
    status: 400,
    message: "A test can be sent only to members of the company and to the account's testAddresses."
  },
  "campaigns.test_limit_reached": {
    status: 429,
    message: "At most 100 test emails of campaigns are sent in a day."
  },
  "campaigns.test_invalid": {
    status: 400,
    message: "test must have 2 to 5 variants, with the ids a, b, c, d and e in this order."
  },
  "campaigns.test_with_local_time": {
    status: 400,
    message: "A test that sends the winner to the rest cannot have a schedule with localTime."
  },
  "campaigns.unsubscribe_hidden": {
    status: 400,
    message: "The link to unsubscribe must be visible; the html hides it."
  },
  "campaigns.variant_not_found": {
    status: 400,
    message: "variantId must be one of the campaign's variants."
  },
  "catalog.batch_too_large": {
    status: 400,
    message: "items must have at most 1,000 items.",
    explained: "items has {found} items, and must have at most {max}."
  },
  "catalog.item_attributes_invalid": {
    status: 400,
    message:
      "attributes must have at most 100 names of 1 to 100 characters, each a string, number, boolean or list of strings."
  },
  "catalog.item_categories_invalid": {
    status: 400,
    message: "categories must be at most 50 strings of 1 to 200 characters."
  },
  "catalog.item_currency_invalid": {
    status: 400,
    message: "currency must be an ISO 4217 code, such as EUR, where a price is given.",
    explained:
      "{value} is not a currency: currency must be an ISO 4217 code, such as EUR, where a price is given."
  },
  "catalog.item_description_invalid": {
    status: 400,
    message: "description must be a string of at most 10,000 characters."
  },
  "catalog.item_id_invalid": {
    status: 400,
    message:
      "id must be a string of 1 to 200 characters, and neither `.` nor `..`, which are no names in a URL."
  },
  "catalog.item_kind_invalid": {
    status: 400,
    message: "kind must be product, plan, service or other.",
    explained: "{value} is not a kind of item: kind must be product, plan, service or other."
  },
  "catalog.item_name_invalid": { status: 400, message: "name must be a string of at most 300 characters." },
  "catalog.item_name_missing": { status: 400, message: "name must be given for a new item." },
  "catalog.item_not_found": { status: 404, message: "The catalogue has no item with this id." },
  "catalog.item_price_invalid": {
    status: 400,
    message: "A price must be a number of 0 or more, with at most 15 digits before and after the point.",
    explained:
      "{value} is not possible: {field} must be a number of 0 or more, with at most {maxDigits} digits before and after the point."
  },
  "catalog.item_stock_quantity_invalid": { status: 400, message: "stockQuantity must be a 32-bit integer." },
  "catalog.item_url_invalid": { status: 400, message: "The address must be an http or https URL." },
  "catalog.items_limit": { status: 400, message: "The catalogue must have at most 100,000 items." },
  "commerce.batch_too_large": { status: 400, message: "events must have 1 to 1,000 events." },
  "commerce.currency_invalid": {
    status: 400,
    message: "currency must be an ISO 4217 code, such as EUR.",
    explained: "{value} is not a currency: currency must be an ISO 4217 code, such as EUR."
  },
  "commerce.event_name_unknown": {
    status: 400,
    message: "name must be an event of stores.",
    explained: "{value} is not a store event; the events are {known}."
  },
  "commerce.event_not_kept": {
    status: 409,
    message: "The content of the event is not stored, so it cannot be replayed; the store must send it again."
  },
  "commerce.event_person_required": {
    status: 400,
    message: "The event must have a customer id or an email."
  },
  "commerce.event_unusable": {
    status: 400,
    message: "The topic of the webhook is not supported, or the webhook lacks data that its topic requires."
  },
  "commerce.store_disconnected": {
    status: 409,
    message: "The store is disconnected: connect it again first."
  },
  "commerce.store_erasing": {
    status: 409,
    message: "The store's data is being erased; the store can be connected once the erasure has ended."
  },
  "commerce.store_exists": {
    status: 409,
    message: "A store of that platform and domain is already connected.",
    explained: "The store {value} of that platform is already connected: use its token, or delete it first."
  },
  "commerce.store_limit_reached": { status: 400, message: "The account must have at most 100 stores." },
  "common.body_too_complex": {
    status: 400,
    message: "The body, or the entry of a batch, has more values than any valid one."
  },
  "common.body_too_large": {
    status: 413,
    message: "The request body is too large.",
    explained: "The request body must be at most {max} bytes."
  },
  "common.edited_meanwhile": {
    status: 412,
    message: "It was changed in the meantime; read it again and repeat the change with its new ETag."
  },
  "common.encoding_unsupported": {
    status: 415,
    message:
      "The body must have the one Content-Encoding that the header states, and one that the route takes.",
    explained:
      "The body must have the Content-Encoding that its header states, and the route takes: {expected}."
  },
  "common.internal": {
    status: 500,
    message:
      "An unexpected error occurred; the service's log has the cause under the X-Request-Id of the response."
  },
  "common.method_not_allowed": {
    status: 405,
    message: "The path does not support this method.",
    explained: "{path} supports only {known}."
  },
  "common.not_found": {
    status: 404,
    message: "Not found.",
    explained: [
      "There is no route {path}; the nearest is {nearest}.",
      "There is no route {path}.",
      "Nothing was found for {field}: its value does not exist, has ended or was deleted, or belongs to another account or company.",
      "Nothing was found for {route}: an id in the path does not exist, was deleted, or belongs to another account or company."
    ]
  },
  "common.rate_limited": {
    status: 429,
    message: "The limit of calls in this minute is reached.",
    explained:
      "The limit of {limit} calls in a minute is reached; wait as long as the header Retry-After says."
  },
  "common.too_many_reads": {
    status: 503,
    message: "Expensive reads use the account's whole share of the database; try again later.",
    retryAfter: 5
  },
  "common.too_many_streams": {
    status: 429,
    message: "The account has 20 open streams, which is the maximum; close one first.",
    retryAfter: 60
  },
  "common.unavailable": {
    status: 503,
    message: "The service is temporarily unavailable; try again later.",
    retryAfter: 1
  },
  "deliverability.domain_exists": {
    status: 409,
    message: "The account already has this domain.",
    explained: "The account already has the domain {value}."
  },
  "deliverability.domain_invalid": {
    status: 400,
    message: "domain must be a domain name that email can be sent from.",
    explained: ["{value} is not a domain name from which email can be sent, such as example.com."]
  },
  "shaping.lane_invalid": {
    status: 400,
    message:
      "Give one of provider, site and domain: the key of a provider of the table, a site, or a recipient's domain."
  },
  "shaping.pool_unknown": {
    status: 400,
    message: "The pool must be the key of an existing pool."
  },
  "shaping.pool_in_use": {
    status: 409,
    message:
      "A pool can be deleted only when no source, no other pool and no account uses it. The pool default stays."
  },
  "shaping.pool_exists": {
    status: 409,
    message: "There is a pool with this key already."
  },
  "shaping.source_exists": {
    status: 409,
    message: "There is a source with this address already."
  },
  "shaping.address_invalid": {
    status: 400,
    message: "address must be an IPv4 or IPv6 address of one of the installation's machines."
  },
  "shaping.limit_reached": {
    status: 400,
    message: "There must be at most 200 sources and 50 pools.",
    explained: "There must be at most {max}; delete one that is not used."
  },
  "shaping.until_invalid": {
    status: 400,
    message: "until must be a time within the next 5 days."
  },
  "shaping.count_changed": {
    status: 409,
    message: "confirm must be the number of deliveries that are held.",
    explained: ["{count} deliveries are held: confirm must be this number."]
  },
  "deliverability.mail_host_missing": {
    status: 409,
    message:
      "The records of a live domain contain the mail host name of this installation: set SVC_SMTP_HOST to a public name, and restart the service."
  },
  "deliverability.sender_not_aligned": {
    status: 409,
    message:
      "The sender's domain must pass the checks of GET /manage/v1/accounts/{accountId}/alignment that large providers require.",
    explained: "{domain} fails {checks}. {fix}"
  },
  "deliverability.sender_domain_not_verified": {
    status: 400,
    message: "from must be an address on a verified domain of the account.",
    explained: [
      "{domain} is not a verified domain of the account: add it with POST /manage/v1/accounts/{account}/domains, publish its DNS records, then verify it with POST /manage/v1/accounts/{account}/domains/<id>/verify.",
      "{fix}"
    ]
  },
  "images.in_use": {
    status: 409,
    message:
      "The image must not be used by a template, a campaign, a flow or the brand; remove it there first."
  },
  "images.limit_reached": {
    status: 400,
    message: "An account must have at most 2,000 images; delete those that are not used."
  },
  "images.too_large": {
    status: 400,
    message: "The image must have at most 25,000,000 pixels, and at most 10,000 on a side; make it smaller."
  },
  "images.type_unknown": {
    status: 400,
    message: "The file must be a PNG, JPEG, GIF or WebP image; SVG is not supported."
  },
  "segments.built_in": { status: 400, message: "A built-in segment cannot be changed or deleted." },
  "segments.field_unknown": {
    status: 400,
    message: "fieldKey must be a built-in, attributes.<key>, topics.<key> or events.<name>.",
    explained:
      "{value} is not a field for segments; it must be a built-in, attributes.<key>, topics.<key> or events.<name> that exists."
  },
  "segments.in_use": {
    status: 409,
    message:
      "The segment is used by a flow, or by a campaign that is scheduled, sent or paused: archive or cancel it first."
  },
  "segments.join_invalid": {
    status: 400,
    message: "join must be All or Any.",
    explained: "{value} is not possible: join must be All or Any."
  },
  "segments.not_found": {
    status: 404,
    message: "The account has no such segment; GET /manage/v1/accounts/<id>/segments lists those it has."
  },
  "segments.operator_invalid": {
    status: 400,
    message: "operator must be an operator of the field.",
    explained: "{value} is not an operator for {of}; its operators are {known}."
  },
  "segments.too_many_rules": { status: 400, message: "rules must have at most 50 rules." },
  "segments.value_invalid": {
    status: 400,
    message: "value must be a value of the operator.",
    explained: [
      "With {operator} of {of}, value must be {expected}.",
      "With {operator}, value must be {expected}."
    ]
  },
  "relays.feedback_unknown": {
    status: 400,
    message: "feedback must have only the fields that reports of the relay's kind need.",
    explained: "{field} is not possible: reports of {kind} do not need it."
  },
  "relays.limit_reached": {
    status: 400,
    message: "The company must have at most 20 relays.",
    explained: "The owner must have at most {max} relays; delete one that is not used."
  },
  "relays.unknown": {
    status: 400,
    message:
      'delivery must name 1 to 5 different ways of each stream: "Direct", or "relay:" with the id of a relay that the company may ' +
      "use for it."
  },
  "relays.url_invalid": {
    status: 400,
    message:
      "url must be smtp:// or smtps:// with a host, and with the password itself where it has one; a company's must be a public " +
      "server at port 25, 465, 587, 2465, 2525 or 2587, without verify=false."
  },
  "sending.attachment_invalid": {
    status: 400,
    message:
      "An attachment must have a filename without a path, a contentType type/subtype with optional parameters, base64 content and optionally a unique contentId."
  },
  "sending.attachments_too_large": {
    status: 400,
    message: "attachments must be at most 5 MB together.",
    explained: "attachments are {found} bytes together, and must be at most {max}."
  },
  "sending.attachments_too_many": { status: 400, message: "attachments must have at most 10 attachments." },
  "sending.content_ambiguous": {
    status: 400,
    message: "An email must have either subject with html or text, or templateId with variables, not both."
  },
  "sending.content_erased": {
    status: 410,
    message: "The email's content or recipients were erased when their retention ended."
  },
  "sending.no_link": { status: 409, message: "The email has no link that could be clicked." },
  "sending.content_required": {
    status: 400,
    message: "An email must have subject with html or text, or templateId."
  },
  "sending.email_not_cancellable": {
    status: 409,
    message: "The email has no queued delivery, and only those can be cancelled."
  },
  "sending.email_not_in_review": {
    status: 409,
    message: "The email has no delivery that is held for review, or it was decided already."
  },
  "sending.observation_exists": {
    status: 409,
    message: "day must be one without a rate for the provider and domain, or the entry must have replace."
  },
  "sending.standing_not_held": {
    status: 409,
    message: "The account's marketing is not held."
  },
  "sending.header_invalid": {
    status: 400,
    message:
      "A header's value must be one line of printable text, with a space at least every 900 characters.",
    explained:
      "The value of {key} must be one line of printable text, with a space at least every 900 characters."
  },
  "sending.header_not_allowed": {
    status: 400,
    message:
      "headers must be X-... headers other than the service's own, In-Reply-To and References, the latter two once.",
    explained:
      "{key} is not allowed: headers must be X-... headers other than the service's own, In-Reply-To and References, the latter two once."
  },
  "sending.headers_too_many": {
    status: 400,
    message: "headers must have at most 20 headers.",
    explained: "headers has {found} headers, and must have at most {max}."
  },
  "sending.idempotency_conflict": {
    status: 409,
    message: "The idempotency key was already used for a different message: use a new key for each message."
  },
  "segments.limit_reached": {
    status: 400,
    message: "The account must have at most 100 segments of its own; delete one that is not used."
  },
  "sending.idempotency_key_invalid": {
    status: 400,
    message: "The idempotency key must be 1 to 150 visible ASCII characters."
  },
  "sending.idempotency_key_mismatch": {
    status: 400,
    message: "The Idempotency-Key header and idempotencyKey must be equal."
  },
  "sending.message_unreadable": {
    status: 400,
    message:
      "The message must be MIME that can be parsed in 5 seconds: it must not have too many parts or addresses, or a header that is too long."
  },
  "sending.metadata_invalid": {
    status: 400,
    message:
      "metadata must have at most 20 names, each of 1 to 64 characters A-Z a-z 0-9 _ . -, with values of at most 256 characters."
  },
  "sending.queue_full": {
    status: 429,
    message:
      "The account's queue must hold at most ten days of its daily limit; try again later, or raise its setting dailySendLimit.",
    retryAfter: 3600
  },
  "sending.recipients_too_many": {
    status: 400,
    message: "An email must have at most 50 recipients.",
    explained: "An email must have at most {max} recipients, to, cc and bcc together."
  },
  "sending.send_at_too_far": {
    status: 400,
    message: "sendAt must be at most 30 days ahead.",
    explained: "sendAt must be at most {maxDays} days ahead."
  },
  "sending.tags_invalid": {
    status: 400,
    message:
      "tags must have at most 20 names, each of 1 to 64 characters A-Z a-z 0-9 _ . -, with values of at most 256 characters."
  },
  "sending.template_invalid": {
    status: 400,
    message: "The template must parse; params name the line and column.",
    explained: "The template does not parse at line {line}, column {column}: {reason}."
  },
  "sending.template_limit_reached": {
    status: 400,
    message: "The account must have at most 1,000 templates; delete one that is not used."
  },
  "templates.in_use": {
    status: 409,
    message: "The template is used by a campaign that is scheduled, sent or paused; cancel it first."
  },
  "sending.template_not_found": {
    status: 400,
    message:
      "templateId must be the id of a template of the account; GET /manage/v1/accounts/<id>/templates lists them."
  },
  "sending.template_render_failed": {
    status: 400,
    message:
      "The template must render with these variables: it took too long or too much memory, or a value does not fit."
  },
  "sending.variables_invalid": {
    status: 400,
    message: "variables must be at most 100,000 characters as JSON and not too deeply nested."
  },
  "tokens.limit_reached": {
    status: 400,
    message:
      "There must be at most 50 active tokens of the installation and of each company, and 20 of each user.",
    explained: "There must be at most {max} active tokens; revoke one that is not used."
  },
  "tokens.right_exceeds": {
    status: 403,
    message: "A token must have no right that its creator lacks.",
    explained: "The token must not have the right {right}, which its creator lacks or has only for a while.",
    returns: ["right"]
  },
  "topics.archived": {
    status: 400,
    message: "The topic must not be archived.",
    explained: "The topic {key} is archived; leave it out, or restore it first."
  },
  "topics.in_use": {
    status: 409,
    message:
      "A campaign that is scheduled or being sent uses the topic; archive the topic once the campaign has ended."
  },
  "topics.exists": {
    status: 409,
    message: "key must not be the key of another topic of the account.",
    explained: "The account already has a topic {value}."
  },
  "topics.key_invalid": {
    status: 400,
    message: "key must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter.",
    explained:
      "{value} is not a key: it must be 1 to 40 lowercase letters, digits and underscores, beginning with a letter."
  },
  "topics.not_found": {
    status: 400,
    message: "The account has no topic with this key.",
    explained: "The account has no topic {key}; GET /api/v1/topics lists those it has."
  },
  "users.access_required": {
    status: 403,
    message:
      "An operator must open access to the company before reading its personal data, with POST /manage/v1/companies/<id>/access."
  },
  "users.already_member": { status: 409, message: "The user must not be a member of the company already." },
  "users.code_invalid": {
    status: 401,
    message: "code must be a current one-time code or an unused recovery code."
  },
  "users.confirmation_required": {
    status: 403,
    message:
      "The call needs a factor given in the last 15 minutes; give one with POST /manage/v1/session/confirm.",
    returns: ["factors"]
  },
  "users.device_expired": {
    status: 400,
    message: "deviceCode must be unused and at most ten minutes old; start again with POST /manage/v1/device."
  },
  "users.device_pending": {
    status: 400,
    message: "The user has not confirmed the code yet; ask again after five seconds."
  },
  "users.factor_exists": {
    status: 409,
    message: "The user must have no one-time codes yet; remove them first."
  },
  "users.factor_required": {
    status: 403,
    message: "The user must set up a second factor first, with POST /manage/v1/me/totp."
  },
  "users.last_operator": {
    status: 409,
    message:
      "The installation must keep an active operator: make another one first, with svc users invite --operator."
  },
  "users.last_owner": {
    status: 409,
    message: "The company must keep an active Owner: make another member one first."
  },
  "users.link_invalid": {
    status: 410,
    message: "The link must be valid: it is unknown, expired or used. Ask for a new one."
  },
  "users.passkey_invalid": {
    status: 401,
    message:
      "The passkey must be one of this service and of a user who may sign in, and answer a challenge of the last five minutes."
  },
  "users.passkey_limit_reached": {
    status: 400,
    message: "A user must have at most 20 passkeys; remove one that is not used."
  },
  "users.password_weak": {
    status: 400,
    message: "password must be harder to guess.",
    explained: "password must be harder to guess. {hint}",
    returns: ["hint"]
  },
  "users.provider_failed": {
    status: 401,
    message:
      "The identity provider must sign a user in, within ten minutes and in the browser that went there; sign in again."
  },
  "users.provider_required": {
    status: 403,
    message:
      "The user must sign in with the identity provider, so there is no password or second factor here."
  },
  "users.request_forged": {
    status: 403,
    message:
      "A request with the session's cookie must come from the base URL: with its Origin, and with Content-Type: application/json or X-Svc-Request: 1."
  },
  "users.right_missing": {
    status: 403,
    message: "The caller must have the right that the call requires.",
    explained: "The caller lacks the right {right}, which the call requires.",
    returns: ["right"]
  },
  "users.sign_in_failed": {
    status: 401,
    message: "The address and the password must be those of a user who may sign in."
  },
  "users.too_many_attempts": {
    status: 429,
    message: "Too many wrong tokens, passwords or codes; wait as long as the header Retry-After says."
  },
  "validation.email": {
    status: 400,
    message: "The value must be a valid email address.",
    explained: [
      "{field} must be {expected}.",
      "{field} must be one valid email address, such as ada@example.org."
    ]
  },
  "validation.format": {
    status: 400,
    message: "The value must have the required format.",
    explained: "{field} must be {expected}."
  },
  "validation.max_length": {
    status: 400,
    message: "The value must be shorter; params name the limit.",
    explained: [
      "{field} must have at most {max} {expected}.",
      "{field} must be at most {max} characters long."
    ]
  },
  "validation.min_length": {
    status: 400,
    message: "The value must be longer; params name the limit.",
    explained: ["{field} must be at least {min} characters long."]
  },
  "validation.range": {
    status: 400,
    message: "The value must be in the range that params name.",
    explained: [
      "{field} must be at most {latest}.",
      "{field} must be from {min} to {max}.",
      "{field} must be at least {min}.",
      "{field} must be at most {max}."
    ]
  },
  "validation.required": {
    status: 400,
    message: "The value must be given.",
    explained: "{field} must be given."
  },
  "validation.type": {
    status: 400,
    message: "The value must have the required type.",
    explained: ["{field} must be {expected}.", "{field} must have the required type."]
  },
  "validation.unknown_field": {
    status: 400,
    message: "The body must have only fields that the route knows."
  },
  "webhooks.attempts_exhausted": {
    status: 409,
    message: "The notification was attempted 100 times and cannot be sent again."
  },
  "webhooks.event_unknown": {
    status: 400,
    message: "events must name webhook events that exist.",
    explained: "{value} is not a webhook event; the events are {known}."
  },
  "webhooks.limit_reached": {
    status: 400,
    message: "The account must have at most 20 active webhooks; delete one that is not used."
  },
  "webhooks.stopped": {
    status: 409,
    message: "The webhook was stopped after too many failures in a row; delete it and add it again."
  },
  "webhooks.url_invalid": {
    status: 400,
    message:
      "url must be an https address on the public internet, without user name or password; while you develop, svc listen " +
      "--forward-to posts the notifications to your own machine, and SVC_WEBHOOK_ALLOW_PRIVATE=true allows any other."
  }
} as const satisfies Record<string, CatalogueEntry>

/** A code of the catalogue. */
export type Code = keyof typeof catalogue

/** Numbers that explain an issue, such as `max`. */
export type Params = Readonly<Record<string, number>>

/** Strings that a message includes, such as the value that was sent. Never a secret or personal data. */
export type Details = Readonly<Record<string, string>>

/** A rule that a request violates: its code, the request field (a path such as `consent.proof.text`) and numbers. */
export interface Issue {
  readonly code: Code
  readonly field: string | null
  readonly params: Params | null
  /** Further values that the message includes. */
  readonly details?: Details
  /** The whole message, if it is not the one of the code. */
  readonly message?: string
  /** Details that the response shows to programs unchanged, and that no message includes. */
  readonly data?: Readonly<Record<string, Json>>
}

/** The detail `value` of an issue: the value sent, if it is a string, number or boolean. Not for personal data. */
export const valueDetail = (value: unknown): Details => {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value
  return typeof text === "string" && text.trim() !== "" ? { value: text } : {}
}

/** The most characters of a field in an issue, since callers choose the keys of objects. */
const maxFieldPath = 200

/** A field's path as issues show it: truncated if it is long, without unpaired surrogates, which some JSON parsers reject. */
export const cutPath = (path: string): string =>
  path.length <= maxFieldPath ? path.toWellFormed() : `${path.slice(0, maxFieldPath - 1).toWellFormed()}…`

/** Makes an {@link Issue}. */
export const issue = (
  code: Code,
  field: string | null = null,
  params: Params | null = null,
  details?: Details
): Issue => ({
  code,
  field: field === null ? null : cutPath(field),
  params,
  ...(details === undefined ? {} : { details })
})

/** The most characters of a string in a message, since callers choose values. */
const maxShown = 120

/** A string on one line, truncated if it is longer than messages show. */
const shown = (text: string): string => {
  const line = text
    .slice(0, maxShown + 1)
    .replaceAll(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/g, "?")
    .toWellFormed()
  return line.length > maxShown ? `${line.slice(0, maxShown - 1)}…` : line
}

/** The details that come from the service itself and are not truncated. */
const ownTexts: ReadonlySet<string> = new Set(["expected", "known", "fix", "hint", "reason", "route"])

/** The last part of a path, such as `plan` in `contact.attributes.plan`, which may contain dots. */
const keyOf = (field: string): string =>
  /(?:^|\.)(?:attributes|topics|headers)\.(.+)$/s.exec(field)?.[1] ?? field.slice(field.lastIndexOf(".") + 1)

/** The message of an issue: English, on one line, for logs. */
export const messageOf = ({ code, details = {}, field, message: own, params }: Issue): string => {
  const { explained = [], message }: CatalogueEntry = catalogue[code]
  if (own !== undefined) return own
  const valueOf = (name: string): string | undefined => {
    if (Object.hasOwn(details, name)) return ownTexts.has(name) ? details[name] : shown(details[name]!)
    const number = params !== null && Object.hasOwn(params, name) ? params[name] : undefined
    if (number !== undefined) return number.toLocaleString("en")
    if (field === null) return undefined
    return name === "field" ? shown(field) : name === "key" ? shown(keyOf(field)) : undefined
  }
  for (const template of [explained].flat()) {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    if (names.every((name) => valueOf(name) !== undefined)) {
      return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name)!)
    }
  }
  return message
}

/** The details of an issue that a response shows; undefined if there are none. */
export const returnedDetails = ({
  code,
  data,
  details = {}
}: Issue): Readonly<Record<string, Json>> | undefined => {
  const { returns = [] }: CatalogueEntry = catalogue[code]
  const named = returns.filter((name) => Object.hasOwn(details, name))
  return named.length === 0
    ? data
    : { ...Object.fromEntries(named.map((name) => [name, details[name]!])), ...data }
}

/**
 * The most errors that a response lists for one element, which is an entry of a batch or the body of any other call
 * (docs/contributing/decisions.md 2).
 */
export const maxErrors = 20

/** The most errors that a response lists in total (docs/contributing/decisions.md 2). */
export const maxErrorsOfAll = 1000

/** How many errors a response lists for each element, given their number: at least one, at most {@link maxErrors}. */
export const errorsOfEach = (elements: number): number =>
  Math.max(1, Math.min(maxErrors, Math.floor(maxErrorsOfAll / elements)))

/** The first issues, at most `max`. `params.more` of the last one counts the others, plus `more` that are not given. */
export const firstIssues = (issues: ReadonlyArray<Issue>, max: number, more = 0): ReadonlyArray<Issue> => {
  let left = more + Math.max(0, issues.length - max)
  for (const { params } of issues) left += params?.["more"] ?? 0
  if (left === 0) return issues
  const listed = issues.slice(0, max)
  return listed.map((one, index) => {
    const { more: _, ...params } = one.params ?? {}
    const isLast = index === listed.length - 1
    const kept = isLast ? { ...params, more: left } : params
    return { ...one, params: Object.keys(kept).length === 0 ? null : kept }
  })
}

/** A collector of issues. */
export interface IssueSink {
  readonly push: (found: Issue) => unknown
}

/** Collects the issues of one element during its validation: the first {@link maxErrors}, and the number of further ones. */
export class Issues implements IssueSink {
  readonly #list: Array<Issue> = []
  #more = 0

  /** The stored issues. */
  get list(): ReadonlyArray<Issue> {
    return this.#list
  }

  /** The number of issues added. */
  get count(): number {
    return this.#list.length + this.#more
  }

  /** Adds an issue. */
  add(code: Code, field: string | null = null, params: Params | null = null, details?: Details): void {
    if (this.#list.length < maxErrors) this.#list.push(issue(code, field, params, details))
    else this.#more++
  }

  /** Adds an existing issue. */
  push(found: Issue): void {
    if (this.#list.length < maxErrors) this.#list.push(found)
    else this.#more++
  }

  /** The value if no issue was added, otherwise a problem with all issues. */
  result<A>(value: A): Result.Result<A, Problem> {
    const { problem } = this
    return problem === undefined ? Result.succeed(value) : Result.fail(problem)
  }

  /** A problem with all issues; undefined if there are none. */
  get problem(): Problem | undefined {
    return Problem.from(this.#list, this.#more)
  }
}

/**
 * The only error of the core: a request is rejected because of one or more {@link Issue}s, and nothing was changed. Its HTTP
 * status is that of the first issue.
 */
export class Problem extends Data.TaggedError("Problem")<{
  readonly issues: readonly [Issue, ...Array<Issue>]
}> {
  /** A problem with a single issue. */
  static of(
    code: Code,
    field: string | null = null,
    params: Params | null = null,
    details?: Details
  ): Problem {
    return new Problem({ issues: [issue(code, field, params, details)] })
  }

  /**
   * A problem with the first {@link maxErrors} of the given issues; undefined if there are none. `params.more` of the last one
   * counts the others, plus `more` that are not given.
   */
  static from(issues: ReadonlyArray<Issue>, more = 0): Problem | undefined {
    const [first, ...rest] = firstIssues(issues, maxErrors, more)
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

/** The database is unavailable. Nothing half-written remains, and the call may be repeated. */
export class Unavailable extends Data.TaggedError("Unavailable")<{
  readonly cause: unknown
}> {}
