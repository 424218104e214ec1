/**
 * The three ways a call names a contact (public-api, Contacts).
 *
 * @module
 */
import type { ContactKeys } from "../../ports/ContactStore.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem } from "../../shared/Problem.ts"
import type { Contact } from "../../model/Contact.ts"

/** A parsed reference. `ExternalId` and `Email` find only contacts of the customer's own systems. */
export type Reference =
  | { readonly _tag: "Id"; readonly id: string }
  | { readonly _tag: "ExternalId"; readonly externalId: string }
  | { readonly _tag: "Email"; readonly email: string }

/** The most characters of a customer's own user id. */
export const maxExternalId = 200

/**
 * Parses the service's id, `ext:<your user id>` or `email:<address>`. Anything else, an invalid address
 * included, is a `Problem` audience.contact_reference_invalid.
 */
export const parseReference = (text: string): Reference | Problem => {
  const invalid = () => Problem.of("audience.contact_reference_invalid", "reference")
  if (text.includes("\0") || !text.isWellFormed()) return invalid()
  if (text.startsWith("ext:")) {
    const externalId = text.slice(4).trim()
    return externalId === "" || externalId.length > maxExternalId
      ? invalid()
      : { _tag: "ExternalId", externalId }
  }
  if (text.startsWith("email:")) {
    const email = parseEmail(text.slice(6))
    return email === null ? invalid() : { _tag: "Email", email }
  }
  return isUuid(text) ? { _tag: "Id", id: text.toLowerCase() } : invalid()
}

/** What a store is asked for to find a reference's contact. */
export const keysOfReference = (reference: Reference): ContactKeys => {
  switch (reference._tag) {
    case "Id":
      return { ids: [reference.id], externalIds: [], emails: [] }
    case "ExternalId":
      return { ids: [], externalIds: [reference.externalId], emails: [] }
    case "Email":
      return { ids: [], externalIds: [], emails: [reference.email] }
  }
}

/** Whether a reference finds a contact: an erased one never, one of a connected store only by its id. */
export const isVisible = (contact: Contact, reference: Reference): boolean =>
  contact.erasedAt === null && (reference._tag === "Id" || contact.storeId === null)
