/**
 * Parses the reference by which a call identifies a contact (docs/contributing/public-api.md "Contacts").
 *
 * @module
 */
import { Result } from "effect"
import type { ContactKeys } from "../../ports/ContactStore.ts"
import { parseEmail } from "../../shared/EmailAddress.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { Problem } from "../../shared/Problem.ts"
import { isStorable } from "../../shared/Validate.ts"
import type { Contact } from "../../model/Contact.ts"

/** A parsed reference. `ExternalId` and `Email` only find contacts of the customer's own systems, not those of stores. */
export type Reference =
  | { readonly _tag: "Id"; readonly id: string }
  | { readonly _tag: "ExternalId"; readonly externalId: string }
  | { readonly _tag: "Email"; readonly email: string }

/** The most characters of an external id, which is the customer's own user id. */
export const maxExternalId = 200

/**
 * Parses a contact's id, `ext:<external id>` or `email:<address>`. Fails with audience.contact_reference_invalid for anything
 * else, including an invalid address.
 */
export const parseReference = (reference: string): Result.Result<Reference, Problem> => {
  const parsed = isStorable(reference) ? parsedOf(reference) : null
  return parsed === null
    ? Result.fail(Problem.of("audience.contact_reference_invalid", "reference"))
    : Result.succeed(parsed)
}

const parsedOf = (reference: string): Reference | null => {
  if (reference.startsWith("ext:")) {
    const externalId = reference.slice(4).trim()
    return externalId === "" || externalId.length > maxExternalId ? null : { _tag: "ExternalId", externalId }
  }
  if (reference.startsWith("email:")) {
    const email = parseEmail(reference.slice(6))
    return email === null ? null : { _tag: "Email", email }
  }
  return isUuid(reference) ? { _tag: "Id", id: reference.toLowerCase() } : null
}

/** The keys by which the contact of a reference is found. */
export const keysOfReference = (reference: Reference): ContactKeys => ({
  ids: reference._tag === "Id" ? [reference.id] : [],
  externalIds: reference._tag === "ExternalId" ? [reference.externalId] : [],
  emails: reference._tag === "Email" ? [reference.email] : []
})

/** Whether a reference may return the contact: never an erased one, and a store's contact only by its id. */
export const isVisible = (contact: Contact, reference: Reference): boolean =>
  contact.erasedAt === null && (reference._tag === "Id" || contact.storeId === null)
