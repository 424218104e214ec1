/**
 * Distinguishes the DKIM records of a domain.
 *
 * @module
 */

/** The algorithm and the selector of a DKIM record. Without a `k` tag, the algorithm is RSA (RFC 6376, 3.6.1). */
export const dkimKeyOf = ({
  name,
  value
}: {
  readonly name: string
  readonly value: string
}): { readonly algorithm: string; readonly selector: string } => ({
  algorithm: /\bk=ed25519\b/.test(value) ? "Ed25519" : "RSA",
  selector: name.split("._domainkey.", 1)[0] ?? name
})
