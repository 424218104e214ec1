/**
 * Handlers of the contacts routes.
 *
 * @module
 */
import { Effect } from "effect"
import type { Contact } from "../../../core/audience/Contact.ts"
import { Contacts } from "../../../core/audience/Contacts.ts"
import { PublicApi } from "../api/PublicApi.ts"
import { dateTimeOrNull, decimal } from "../Encode.ts"
import { bind, created, ok } from "../Route.ts"

/** A contact as the API shows it. */
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
export const contactsRoutes = Effect.map(Contacts, (contacts) =>
  bind(PublicApi.groups.contacts, {
    write: ({ caller, payload }) =>
      Effect.map(contacts.write(caller.accountId, payload), (written) => {
        const value = { contact: encodeContact(written.contact), created: written.created }
        return written.created ? created(value) : ok(value)
      }),
    get: ({ caller, params }) =>
      Effect.map(contacts.get(caller.accountId, params["reference"] ?? ""), (contact) =>
        ok(encodeContact(contact))
      )
  })
)
