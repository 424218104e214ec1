/**
 * The three ways a call names a contact (public-api, Contacts).
 *
 * @module
 */
import { parseEmail } from "../shared/EmailAddress.ts"
import { isUuid } from "../shared/Ids.ts"
import { Problem } from "../shared/Problem.ts"

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
