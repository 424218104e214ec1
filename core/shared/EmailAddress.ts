/**
 * Email addresses: the addr-spec of RFC 5322 3.4.1 without domain literals, with the UTF-8 of RFC 6532. They are normalized as
 * described in docs/contributing/decisions.md 2, so that each mailbox has one spelling.
 *
 * @module
 */
import { foldCase } from "./Validate.ts"

/** The most characters of a normalized address. */
export const maxEmailLength = 254

const maxLocalLength = 64
const atomText =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u
const quotedText = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e\u0080-\u{10ffff}]|\\[\x20-\x7e])*"$/u
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ascii = /^[\x20-\x7e]*$/

/**
 * Normalizes a domain name: trimmed, lower case, IDNA ASCII. Null if it is invalid: an empty or overlong label, other characters,
 * an address literal, or an all-numeric last label.
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
 * Folds an address, valid or not, for comparison. In the local part only ASCII letters are folded: `K` (U+212A, the Kelvin sign)
 * is a different letter from `k`, and stands for a different mailbox (RFC 6530, 10.1).
 */
export const foldAddress = (address: string): string => {
  const at = address.lastIndexOf("@")
  const local = address.slice(0, Math.max(0, at)).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return local + address.slice(local.length).toLowerCase()
}

/**
 * Normalizes an address: trimmed, without comments, folded by {@link foldAddress}, its domain in IDNA ASCII, and its local part
 * without unnecessary quotes and quoted pairs (RFC 5321, 4.1.2: with and without them it is the same mailbox). Null if it is not
 * a valid addr-spec or has more than 254 characters.
 */
export const parseEmail = (text: string): string | null => {
  const given = text.trim()
  if (given.length > 4 * maxEmailLength || !given.isWellFormed()) return null
  const parts = partsOf(given)
  if (parts === null) return null
  const local = normalLocal(foldAddress(`${parts.local}@`).slice(0, -1))
  const domain = parseDomain(parts.domain)
  if (local === null || domain === null) return null
  const email = `${local}@${domain}`
  return email.length > maxEmailLength ? null : email
}

/**
 * The form of an address in which it can be compared with normalized addresses: normalized or, if it is invalid, folded. The
 * result can be sent to a database; it equals no address if the input could not be sent.
 */
export const comparableAddress = (text: string): string =>
  parseEmail(text) ?? foldAddress(text.trim()).replaceAll("\0", "\ufffd").toWellFormed()

/** The form of a search in texts that contain addresses, as `foldCase` returns it. An address is found in any spelling. */
export const searchedText = (text: string): string => foldCase(parseEmail(text) ?? text)

/**
 * The spelling of a normalized address with unnecessary quotes; null if its quotes are necessary. Earlier versions treated it as
 * the address of another mailbox, and stored hashes of it.
 */
export const needlessSpelling = (email: string): string | null => {
  const at = email.lastIndexOf("@")
  return email.startsWith('"') || at <= 0 ? null : `"${email.slice(0, at)}"${email.slice(at)}`
}

/** The domain of an address. */
export const domainOfAddress = (email: string): string => email.slice(email.lastIndexOf("@") + 1)

/** The normal form of a folded local part; null if it is invalid or has more than 64 characters. */
const normalLocal = (given: string): string | null => {
  const isQuoted = quotedText.test(given)
  const content = isQuoted ? given.slice(1, -1).replaceAll(/\\(.)/g, "$1") : given
  // `trim` would remove a leading byte order mark, which may be part of a word.
  const isAtoms = atomText.test(content) && content.trim() === content
  if (!isQuoted && !isAtoms) return null
  const local = isAtoms ? content : `"${content.replaceAll(/["\\]/g, "\\$&")}"`
  if (local.length > maxLocalLength) return null
  return /[\u0080-\u009f\u2028\u2029]|(?! )\p{Zs}/u.test(local) ? null : local
}

/** The local part and domain of an address, without the comments around them; null if anything else is around them. */
const partsOf = (given: string): { readonly local: string; readonly domain: string } | null => {
  const localFrom = skipComments(given, 0)
  const localTo = localFrom === null ? -1 : localEnd(given, localFrom)
  const at = localTo === -1 ? null : skipComments(given, localTo)
  if (localFrom === null || at === null || given[at] !== "@") return null
  const domainFrom = skipComments(given, at + 1)
  if (domainFrom === null) return null
  const domainTo = domainFrom + /^[^\s(]*/.exec(given.slice(domainFrom))![0].length
  if (skipComments(given, domainTo) !== given.length) return null
  return { local: given.slice(localFrom, localTo), domain: given.slice(domainFrom, domainTo) }
}

/** The index at which the local part that begins at an index ends; -1 if it is a quoted string without an end. */
const localEnd = (text: string, from: number): number => {
  if (text[from] !== '"') return from + /^[^ \t(@]*/.exec(text.slice(from))![0].length
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at + 1
  }
  return -1
}

/**
 * The index after the comments at an index (RFC 5322, 3.2.2) and the spaces around them. Null for a comment without an end or
 * with control characters, and for spaces without a comment.
 */
const skipComments = (text: string, from: number): number | null => {
  let at = from
  let depth = 0
  let hasComment = false
  for (; at < text.length; at++) {
    const char = text[at]!
    if (char === "(") depth++
    else if (depth === 0 && char !== " " && char !== "\t") break
    else if (char < " " && char !== "\t") return null
    else if (char === "\\" && depth > 0) at++
    else if (char === ")" && --depth === 0) hasComment = true
  }
  return depth > 0 || at > text.length || (at > from && !hasComment) ? null : at
}
