/**
 * Documents the contacts endpoints (docs/contributing/public-api.md "Contacts").
 *
 * @module
 */
import { maxBatch } from "../../../../core/audience/contacts/ContactWrite.ts"
import type { Code } from "../../../../core/shared/Problem.ts"
import type { OperationNotes } from "../Notes.ts"
import { exampleIds, exampleTimestamp, examplePage } from "./examples.ts"

const written = {
  externalId: "user-42",
  email: "ada@example.com",
  firstName: "Ada",
  city: "London",
  countryCode: "GB",
  attributes: { plan: "pro" },
  consent: {
    basis: "Subscribed",
    proof: { text: "Yes, send me the newsletter.", givenAt: "2026-03-14T10:26:53+01:00" }
  }
}

const contact = {
  id: exampleIds.contact,
  storeId: null,
  email: "ada@example.com",
  firstName: "Ada",
  lastName: null,
  phone: null,
  city: "London",
  countryCode: "GB",
  language: null,
  consentStatus: "Subscribed",
  isPayingCustomer: false,
  orderCount: 0,
  totalSpent: 0,
  lastOrderAt: null,
  sourceCreatedAt: null,
  lastSyncedAt: null,
  consentUpdatedAt: exampleTimestamp,
  lastOpenAt: null,
  lastClickAt: null,
  lastEmailedAt: null,
  addedAt: exampleTimestamp,
  lastConversionAt: null,
  fromOrders: false,
  consentSource: "Api",
  storeConsentMode: null,
  marketingDeclared: false,
  tags: null,
  attributes: { plan: "pro" }
}

/** The error codes of a write of one contact. */
export const contactWriteCodes: ReadonlyArray<Code> = [
  "validation.email",
  "validation.format",
  "validation.max_length",
  "validation.min_length",
  "validation.range",
  "audience.contact_email_required",
  "audience.contact_erased",
  "audience.contact_identity_conflict",
  "audience.contact_limit_reached",
  "audience.contact_store_managed",
  "audience.consent_proof_required",
  "audience.attribute_archived",
  "audience.attribute_key_invalid",
  "audience.attribute_limit_reached",
  "audience.attribute_reserved",
  "audience.attribute_type_mismatch",
  "audience.attribute_unknown",
  "topics.archived",
  "topics.not_found"
]

const referenceRules =
  "`reference` is the contact's id, `ext:<your user id>` or `email:<address>`. The last two find only contacts that " +
  "your own systems created; a contact of a connected store is named by its id."

/** POST /contacts. */
export const writeContact: OperationNotes = {
  description:
    "Finds the contact by `id`, else by `externalId`, else by `email`, and changes it; creates it where none matches, " +
    "which needs `email`. A user id and an email of two different contacts are a conflict; contacts are never " +
    "merged. A field left out keeps its value; an attribute sent as null is removed. Consent `Subscribed` needs " +
    "`consent.proof.text`; a bounce or a complaint is never lifted here. A contact of a connected store keeps the " +
    "email, id and consent that the store syncs, except for an unsubscribe. Safe to repeat.",
  success: { 200: "The contact was updated", 201: "The contact was created" },
  codes: contactWriteCodes,
  example: { body: written, value: { contact, created: true } }
}

/** POST /contacts/batch. */
export const writeContacts: OperationNotes = {
  description:
    `Writes up to ${maxBatch.toLocaleString("en")} contacts, each as POST /contacts would, in order, each seeing the ` +
    "ones before it. Each fails on its own; `results` are in the order sent. Counts as one call for the rate limit. " +
    "Safe to repeat.",
  success: { 200: "Every contact was written or rejected by itself" },
  codes: ["audience.batch_too_large"],
  entryCodes: ["common.body_too_complex", "validation.type", ...contactWriteCodes],
  example: {
    body: { contacts: [written, { email: "not an address" }] },
    value: {
      created: 0,
      updated: 1,
      failed: 1,
      results: [
        { index: 0, status: "Updated", id: exampleIds.contact, errors: null },
        {
          index: 1,
          status: "Failed",
          id: null,
          errors: [{ code: "validation.email", field: "email", params: null }]
        }
      ]
    }
  }
}

/** GET /contacts. */
export const listContacts: OperationNotes = {
  description:
    "Newest first. With `segment`, only the people of that segment: those a campaign or flow aimed at it would reach.",
  success: { 200: "A page of contacts" },
  codes: ["validation.format", "validation.range", "validation.type", "segments.not_found"],
  example: { parameters: { page: 1, pageSize: 50 }, value: examplePage([contact]) }
}

const referenceCodes: ReadonlyArray<Code> = [
  "audience.contact_not_found",
  "audience.contact_reference_invalid"
]

/** GET /contacts/{reference}. */
export const readContact: OperationNotes = {
  description: `${referenceRules} An erased contact is not found.`,
  success: { 200: "The contact" },
  codes: referenceCodes,
  example: { parameters: { reference: "ext:user-42" }, value: contact }
}

/** DELETE /contacts/{reference}. */
export const eraseContact: OperationNotes = {
  description:
    `${referenceRules} Removes name, address, attributes, tags and consent history, and erases the person's ` +
    "timeline, flow runs, messages, orders and reports. One anonymous row stays, so that a later import does not add " +
    "the person again. It cannot be undone.",
  success: { 200: "The contact was erased" },
  codes: referenceCodes,
  example: { parameters: { reference: "email:ada@example.com" }, value: { id: exampleIds.contact } }
}
