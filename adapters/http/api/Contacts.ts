/**
 * The contacts routes (public-api, Contacts).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { consentStatuses } from "../../../core/audience/Consent.ts"
import { batchAnswer, maxBatchBody } from "./BatchAnswer.ts"
import { CheckedShape, EndpointGuard, envelope, keyWith, MaxBody, maybe, pageOf, paging } from "./Envelope.ts"

const text = maybe(Schema.String)
const nullableText = Schema.NullOr(Schema.String)

/** The contact write shape. */
export const ContactWriteShape = Schema.Struct({
  id: text,
  externalId: text,
  email: text,
  firstName: text,
  lastName: text,
  phone: text,
  city: text,
  countryCode: text,
  language: text,
  attributes: maybe(Schema.Record(Schema.String, Schema.Unknown)),
  consent: maybe(
    Schema.Struct({
      basis: Schema.String,
      proof: maybe(Schema.Struct({ text, textVersion: text, locale: text, ipAddress: text, givenAt: text }))
    })
  ),
  topics: maybe(Schema.Record(Schema.String, Schema.Boolean))
}).annotate({ identifier: "ContactWrite" })

const AttributeValue = Schema.Union([
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Array(Schema.String)
])

/** The contact read shape. */
export const ContactShape = Schema.Struct({
  id: Schema.String,
  storeId: nullableText,
  email: nullableText,
  firstName: nullableText,
  lastName: nullableText,
  phone: nullableText,
  city: nullableText,
  countryCode: nullableText,
  language: nullableText,
  consentStatus: Schema.Literals(consentStatuses),
  isPayingCustomer: Schema.Boolean,
  orderCount: Schema.Int,
  totalSpent: Schema.Number,
  lastOrderAt: nullableText,
  sourceCreatedAt: nullableText,
  lastSyncedAt: nullableText,
  consentUpdatedAt: nullableText,
  lastOpenAt: nullableText,
  lastClickAt: nullableText,
  lastEmailedAt: nullableText,
  addedAt: nullableText,
  lastConversionAt: nullableText,
  fromOrders: Schema.Boolean,
  consentSource: nullableText,
  storeConsentMode: Schema.NullOr(Schema.Literals(["Explicit", "Notice", "OwnConsent", "None"])),
  marketingDeclared: Schema.Boolean,
  tags: Schema.NullOr(Schema.Array(Schema.String)),
  attributes: Schema.Record(Schema.String, AttributeValue)
}).annotate({ identifier: "Contact" })

const BatchAnswer = batchAnswer("ContactBatchResult", ["Created", "Updated", "Failed"])

/** The routes of contacts. */
export class ContactsGroup extends HttpApiGroup.make("contacts")
  .add(
    HttpApiEndpoint.post("write", "/contacts", {
      payload: ContactWriteShape,
      success: envelope(Schema.Struct({ contact: ContactShape, created: Schema.Boolean }))
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Create or update a contact"),
    HttpApiEndpoint.post("writeBatch", "/contacts/batch", {
      payload: Schema.Struct({ contacts: Schema.Array(ContactWriteShape) }),
      success: envelope(BatchAnswer)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(CheckedShape, Schema.Struct({ contacts: Schema.Array(Schema.Unknown) }))
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Create or update up to 1,000 contacts"),
    HttpApiEndpoint.get("list", "/contacts", {
      query: { ...paging, segment: Schema.optionalKey(Schema.String) },
      success: envelope(pageOf(ContactShape))
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List contacts"),
    HttpApiEndpoint.get("get", "/contacts/:reference", {
      params: { reference: Schema.String },
      success: envelope(ContactShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "Read a contact"),
    HttpApiEndpoint.delete("erase", "/contacts/:reference", {
      params: { reference: Schema.String },
      success: envelope(Schema.Struct({ id: Schema.String }))
    })
      .annotate(EndpointGuard, keyWith("contacts:erase"))
      .annotate(OpenApi.Summary, "Erase a contact")
  )
  .annotate(OpenApi.Title, "Contacts") {}
