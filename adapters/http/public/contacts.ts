/**
 * Handles the contacts endpoints.
 *
 * @module
 */
import { Effect } from "effect"
import type { Contact } from "../../../core/model/Contact.ts"
import { Contacts } from "../../../core/audience/contacts/Contacts.ts"
import { Erasure } from "../../../core/privacy/Erasure.ts"
import { batchSizeProblem } from "../../../core/audience/contacts/ContactWrite.ts"
import { Segments } from "../../../core/audience/segments/Segments.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { batchResults, elementsOf } from "../edge/Batch.ts"
import { dateTimeOrNull, decimal } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { paged } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

/** A contact, as the API returns it. */
export const encodeContact = (contact: Contact) => ({
  id: contact.id,
  storeId: contact.storeId,
  email: contact.email,
  firstName: contact.firstName,
  lastName: contact.lastName,
  phone: contact.phone,
  city: contact.city,
  countryCode: contact.countryCode,
  language: contact.language,
  consentStatus: contact.consentStatus,
  isPayingCustomer: contact.isPayingCustomer,
  orderCount: contact.orderCount,
  totalSpent: decimal(contact.totalSpent),
  lastOrderAt: dateTimeOrNull(contact.lastOrderAt),
  sourceCreatedAt: dateTimeOrNull(contact.sourceCreatedAt),
  lastSyncedAt: dateTimeOrNull(contact.lastSyncedAt),
  consentUpdatedAt: dateTimeOrNull(contact.consentUpdatedAt),
  lastOpenAt: dateTimeOrNull(contact.lastOpenAt),
  lastClickAt: dateTimeOrNull(contact.lastClickAt),
  lastEmailedAt: dateTimeOrNull(contact.lastEmailedAt),
  addedAt: dateTimeOrNull(contact.addedAt),
  lastConversionAt: dateTimeOrNull(contact.lastConversionAt),
  fromOrders: contact.fromOrders,
  consentSource: contact.consentSource,
  storeConsentMode: contact.storeConsentMode,
  marketingDeclared: contact.marketingDeclared,
  tags: contact.tags,
  attributes: contact.attributes
})

/** The contacts routes. */
export const contactsRoutes = Effect.gen(function* () {
  const contacts = yield* Contacts
  const erasure = yield* Erasure
  const segments = yield* Segments
  return bind(PublicApi.groups.contacts, {
    write: ({ caller, payload }) =>
      Effect.map(contacts.write(caller.accountId, payload), (written) => {
        const value = { contact: encodeContact(written.contact), created: written.created }
        return written.created ? created(value) : ok(value)
      }),
    writeBatch: Effect.fnUntraced(function* ({ caller, payload }) {
      const refusal = batchSizeProblem(payload.contacts.length)
      if (refusal !== undefined) return yield* refusal
      const results = yield* contacts.writeMany(caller.accountId, elementsOf(payload.contacts), "Api")
      return ok(
        batchResults(results, ({ contact, created: isNew }) => ({
          status: isNew ? "Created" : "Updated",
          id: contact.id
        }))
      )
    }),
    list: Effect.fnUntraced(function* ({ caller, page, query }) {
      return ok(paged(yield* segments.contacts(caller.accountId, query.segment, page), encodeContact))
    }),
    get: ({ caller, params }) =>
      Effect.map(contacts.get(caller.accountId, params.reference), (contact) => ok(encodeContact(contact))),
    erase: ({ actor, caller, params }) =>
      Effect.map(erasure.erase(caller.accountId, params.reference, actor), (id) => ok({ id }))
  })
})
