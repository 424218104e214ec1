/**
 * Addresses with display names in requests (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { parseEmail } from "./EmailAddress.ts"
import { isStorable } from "./Validate.ts"

/** An address with an optional display name. */
export interface Mailbox {
  /** Normalized. */
  readonly email: string
  readonly name: string | null
}

/** An address field as submitted: `a@b.c`, `Name <a@b.c>`, or an object. */
export type MailboxWrite = string | { readonly email: string; readonly name?: string | null | undefined }

const maxName = 200
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Whether a string can be a display name: storable, not too long, without line breaks or other control characters. */
export const isDisplayName = (name: string): boolean =>
  name.length <= maxName && !controls.test(name) && isStorable(name)

/** Parses an address field; null if its address or name is invalid, or if it has more than one address. */
export const parseMailbox = (write: MailboxWrite): Mailbox | null => {
  if (typeof write !== "string") return make(write.email, write.name ?? null)
  const text = write.trim()
  if (!text.endsWith(">")) return make(text, null)
  const syntax = syntaxOf(text)
  const open = syntax.indexOf("<")
  if (open === -1 || syntax.lastIndexOf("<") !== open || syntax.indexOf(">") !== text.length - 1) return null
  const display = syntax.slice(0, open)
  // This is a list of addresses, of which only the last would get the email.
  if (/[,;]/.test(display) && display.includes("@")) return null
  const address = text.slice(open + 1, -1)
  return namesAnother(display, address) ? null : make(address, unquote(text.slice(0, open).trim()))
}

/**
 * Whether each mailbox in the value of an address header (RFC 5322, 3.4) has exactly one address. If it has several, such as
 * `Ann <a@x.example> <b@x.example>`, no reader can tell which one is meant.
 */
export const hasOneAddressEach = (value: string): boolean => {
  let from = 0
  return syntaxOf(value.replaceAll(encodedWord, (word) => " ".repeat(word.length)))
    .split(/[,;:]/)
    .every((mailbox) => {
      const written = value.slice(from, from + mailbox.length)
      from += mailbox.length + 1
      const open = mailbox.indexOf("<")
      if (open === -1) return mailbox.split(/\s+/).filter((word) => word.includes("@")).length <= 1
      if (mailbox.lastIndexOf("<") !== open) return false
      const close = mailbox.indexOf(">", open)
      if (close !== -1 && mailbox.slice(close).includes("@")) return false
      return !namesAnother(mailbox.slice(0, open), written.slice(open + 1, close === -1 ? undefined : close))
    })
}

/**
 * Whether a display name, with its quoted strings and comments blanked, contains an address other than the one that follows it. A
 * name may contain an address only in quotes (RFC 5322, 3.2.5); the same address twice is unambiguous.
 */
const namesAnother = (display: string, address: string): boolean => {
  if (!display.includes("@")) return false
  const named = display
    .split(specials)
    .filter((word) => word.includes("@"))
    .map((word) => parseEmail(word.endsWith(".") ? word.slice(0, -1) : word))
  const meant = parseEmail(address)
  return named.some((email) => email !== null && email !== meant)
}

/** The separators between the words of an unquoted display name (RFC 5322, 3.2.3), except the dot. */
const specials = /[\s()<>[\]:;,\\"]+/

const encodedWord = /=\?[^?\s]{1,60}\?[bq]\?[^?\s]{0,200}\?=/gi

const make = (address: string, displayName: string | null): Mailbox | null => {
  const email = parseEmail(address)
  const name = displayName?.trim() || null
  if (email === null) return null
  if (name !== null && !isDisplayName(name)) return null
  return { email, name }
}

/** The content of a quoted-string (RFC 5322, 3.2.4); any other string is returned unchanged. */
const unquote = (text: string): string =>
  text.length >= 2 && quotedEnd(text, 0) === text.length - 1
    ? text.slice(1, -1).replace(/\\(.)/g, "$1")
    : text

/**
 * A text in which quoted strings and comments (RFC 5322, 3.2) are blanked, character by character, so that only syntax remains.
 * If one has no end, it is neither a quoted string nor a comment.
 */
const syntaxOf = (text: string): string => {
  let syntax = ""
  let isQuoteOpen = false
  let isCommentOpen = false
  for (let at = 0; at < text.length; at++) {
    let end = -1
    if (text[at] === '"' && !isQuoteOpen) isQuoteOpen = (end = quotedEnd(text, at)) === -1
    else if (text[at] === "(" && !isCommentOpen) isCommentOpen = (end = commentEnd(text, at)) === -1
    if (end === -1) syntax += text[at]
    else {
      syntax += " ".repeat(end + 1 - at)
      at = end
    }
  }
  return syntax
}

/** The index of the quote that ends the quoted string at `from`; -1 if there is none. */
const quotedEnd = (text: string, from: number): number => {
  if (text[from] !== '"') return -1
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** The index of the parenthesis that ends the comment at `from`, which may contain comments; -1 if there is none. */
const commentEnd = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "(") depth++
    else if (text[at] === ")" && --depth === 0) return at
  }
  return -1
}
