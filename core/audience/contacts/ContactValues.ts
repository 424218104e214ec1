/**
 * Contacts as templates and webhooks see them.
 *
 * @module
 */
import type { Contact } from "../../model/Contact.ts"
import type { Json } from "../../shared/Json.ts"

/** A contact as templates and webhooks see it. */
export const contactValues = (contact: Contact): { readonly [key: string]: Json } => ({
  id: contact.id,
  externalId: contact.externalId,
  email: contact.email,
  firstName: contact.firstName,
  lastName: contact.lastName,
  phone: contact.phone,
  city: contact.city,
  countryCode: contact.countryCode,
  language: contact.language,
  tags: contact.tags ?? [],
  attributes: contact.attributes
})
