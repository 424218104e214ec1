/**
 * Email addresses: the addr-spec of RFC 5322 3.4.1 without comments and domain literals, with the UTF-8 of RFC 6532,
 * normalized as docs/contributing/decisions.md 2 says.
 *
 * @module
 */

/** The most characters of a normalized address. */
export const maxEmailLength = 254

const maxLocalLength = 64
const atomText =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u
const quotedText = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\u{10ffff}]|\\[\x20-\x7e])*"$/u
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ascii = /^[\x20-\x7e]*$/

/**
 * Normalizes a domain name: trimmed, lower case, IDNA ASCII. Null when it is invalid: empty or overlong labels,
 * other characters, an address literal, an all-numeric last label.
 */
export const parseDomain = (text: string): string | null => {
  const trimmed = text.trim()
  if (trimmed === "" || trimmed.length > 253) return null
  let domain = trimmed.toLowerCase()
  if (!ascii.test(domain)) {
    if (/[\s\u0000-\u001f\u007f/?#@:\\%[\]]/.test(domain)) return null
    try {
      domain = new URL(`http://${domain}`).hostname
    } catch {
      return null
    }
  }
  const labels = domain.split(".")
  if (domain.length > 253 || !labels.every((part) => label.test(part))) return null
  return /^[0-9]+$/.test(labels[labels.length - 1]!) ? null : domain
}

/**
 * An address, valid or not, in the spelling in which addresses are compared. In the local part only ASCII letters are
 * folded: `K` (U+212A, the Kelvin sign) is another letter than `k`, and its mailbox another one (RFC 6530, 10.1).
 */
export const foldAddress = (address: string): string => {
  const at = address.lastIndexOf("@")
  const local = address.slice(0, Math.max(0, at)).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return local + address.slice(local.length).toLowerCase()
}

/**
 * Normalizes an address: trimmed, folded by {@link foldAddress}, its domain in IDNA ASCII. Null when it is not a valid addr-spec or has
 * more than 254 characters.
 */
export const parseEmail = (text: string): string | null => {
  const given = text.trim()
  if (given.length > 4 * maxEmailLength || !given.isWellFormed()) return null
  const trimmed = foldAddress(given)
  const at = trimmed.lastIndexOf("@")
  if (at <= 0) return null
  const local = trimmed.slice(0, at)
  if (local.length > maxLocalLength || !(atomText.test(local) || quotedText.test(local))) return null
  if (/[\u0080-\u009f\u2028\u2029]|(?! )\p{Zs}/u.test(local)) return null
  const domain = parseDomain(trimmed.slice(at + 1))
  if (domain === null || /\s/.test(trimmed[at + 1]!)) return null
  const email = `${local}@${domain}`
  return email.length > maxEmailLength ? null : email
}
