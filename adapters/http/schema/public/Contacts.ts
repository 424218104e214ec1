/**
 * Defines the contacts endpoints of the public API (docs/contributing/public-api.md "Contacts").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { consentBases, consentStatuses } from "../../../../core/model/Consent.ts"
import { maxBatch, maxName, maxPhone, maxProofText } from "../../../../core/audience/contacts/ContactWrite.ts"
import { maxExternalId } from "../../../../core/audience/contacts/Reference.ts"
import { maxEmailLength } from "../../../../core/shared/EmailAddress.ts"
import { batchResults, maxBatchBody } from "../BatchResults.ts"
import { BatchList, EndpointGuard, envelope, keyWith, MaxBody, maybe, pageOf, paging } from "../Envelope.ts"
import { id, listUpTo, timestamp, timestampWithOffset, oneOf, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { eraseContact, listContacts, readContact, writeContact, writeContacts } from "../notes/contacts.ts"

const name = maybe(textUpTo(maxName))
const nullableTimestamp = Schema.NullOr(timestamp)
const nullableText = Schema.NullOr(Schema.String)

/** The contact write shape. */
export const ContactWriteShape = Schema.Struct({
  id: maybe(id).annotateKey({ description: "The service's contact id" }),
  externalId: maybe(textUpTo(maxExternalId)).annotateKey({ description: "Your own user id" }),
  email: maybe(textUpTo(maxEmailLength)).annotateKey({ description: "Required for a new contact" }),
  firstName: name,
  lastName: name,
  phone: maybe(textUpTo(maxPhone)).annotateKey({ description: "Stored unchanged" }),
  city: name,
  countryCode: maybe(Schema.String).annotateKey({ description: "ISO 3166-1 alpha-2" }),
  language: maybe(Schema.String).annotateKey({ description: "BCP 47" }),
  attributes: maybe(Schema.Record(Schema.String, Schema.Unknown)).annotateKey({
    description:
      "Values by the contact field's key: a key sent is set, one sent as null removed, others untouched"
  }),
  consent: maybe(
    Schema.Struct({
      basis: oneOf(consentBases),
      proof: maybe(
        Schema.Struct({
          text: maybe(textUpTo(maxProofText)).annotateKey({
            description: "The exact words agreed to; required for Subscribed"
          }),
          textVersion: maybe(Schema.String),
          locale: maybe(Schema.String),
          ipAddress: maybe(Schema.String),
          givenAt: maybe(timestampWithOffset)
        })
      )
    })
  ),
  topics: maybe(Schema.Record(Schema.String, Schema.Boolean)).annotateKey({
    description: "Topics turned on or off, by the topic's key"
  })
}).annotate({ identifier: "ContactWrite" })

const AttributeValue = Schema.Union([
  Schema.String,
  Schema.Number,
  Schema.Boolean,
  Schema.Array(Schema.String)
])

/** The contact read shape. */
export const ContactShape = Schema.Struct({
  id,
  storeId: Schema.NullOr(id).annotateKey({ description: "Set for a connected store's customer" }),
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
  lastOrderAt: nullableTimestamp,
  sourceCreatedAt: nullableTimestamp,
  lastSyncedAt: nullableTimestamp,
  consentUpdatedAt: nullableTimestamp,
  lastOpenAt: nullableTimestamp,
  lastClickAt: nullableTimestamp,
  lastEmailedAt: nullableTimestamp,
  addedAt: nullableTimestamp,
  lastConversionAt: nullableTimestamp,
  fromOrders: Schema.Boolean,
  consentSource: nullableText,
  storeConsentMode: Schema.NullOr(Schema.Literals(["Explicit", "Notice", "OwnConsent", "None"])),
  marketingDeclared: Schema.Boolean,
  tags: Schema.NullOr(Schema.Array(Schema.String)),
  attributes: Schema.Record(Schema.String, AttributeValue)
}).annotate({ identifier: "Contact" })

const BatchResultsShape = batchResults("ContactBatchResult", ["Created", "Updated", "Failed"])

const reference = Schema.String.annotate({
  description: "The contact's id, `ext:<your user id>` or `email:<address>`"
})

/** The routes of contacts. */
export class ContactsGroup extends HttpApiGroup.make("contacts")
  .add(
    HttpApiEndpoint.post("write", "/contacts", {
      payload: ContactWriteShape,
      success: envelope(Schema.Struct({ contact: ContactShape, created: Schema.Boolean }))
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(OpenApi.Summary, "Create or update a contact")
      .annotate(Notes, writeContact),
    HttpApiEndpoint.post("writeBatch", "/contacts/batch", {
      payload: Schema.Struct({ contacts: listUpTo(ContactWriteShape, maxBatch) }),
      success: envelope(BatchResultsShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:write"))
      .annotate(BatchList, {
        name: "contacts",
        element: ContactWriteShape,
        maxElements: maxBatch,
        // Enough for a hundred attributes, each a list of a hundred strings, and the fields.
        maxValues: 20_000
      })
      .annotate(MaxBody, maxBatchBody)
      .annotate(OpenApi.Summary, "Create or update up to 1,000 contacts")
      .annotate(Notes, writeContacts),
    HttpApiEndpoint.get("list", "/contacts", {
      query: { ...paging, segment: Schema.optionalKey(id.annotate({ description: "A segment's id" })) },
      success: envelope(pageOf(ContactShape))
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List contacts")
      .annotate(Notes, listContacts),
    HttpApiEndpoint.get("get", "/contacts/:reference", {
      params: { reference },
      success: envelope(ContactShape)
    })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "Read a contact")
      .annotate(Notes, readContact),
    HttpApiEndpoint.delete("erase", "/contacts/:reference", {
      params: { reference },
      success: envelope(Schema.Struct({ id }))
    })
      .annotate(EndpointGuard, keyWith("contacts:erase"))
      .annotate(OpenApi.Summary, "Erase a contact")
      .annotate(Notes, eraseContact)
  )
  .annotate(OpenApi.Title, "Contacts")
  .annotate(OpenApi.Description, "The people you write to: their details, consent and topic choices.") {}
