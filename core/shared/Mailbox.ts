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
const controls = /[\u0000-\u001f\u007f]/

/** Whether a string can be a display name: no line breaks or other control characters, storable, not too long. */
export const isDisplayName = (name: string): boolean =>
  name.length <= maxName && !controls.test(name) && isStorable(name)

/** Parses an address field; null when its address or name is invalid. */
export const parseMailbox = (write: MailboxWrite): Mailbox | null => {
  if (typeof write !== "string") return make(write.email, write.name ?? null)
  const text = write.trim()
  if (!text.endsWith(">")) return make(text, null)
  const open = text.lastIndexOf("<")
  return open === -1 ? null : make(text.slice(open + 1, -1), unquote(text.slice(0, open).trim()))
}

const make = (address: string, displayName: string | null): Mailbox | null => {
  const email = parseEmail(address)
  const name = displayName?.trim() || null
  if (email === null) return null
  if (name !== null && !isDisplayName(name)) return null
  return { email, name }
}

/** The content of a quoted-string (RFC 5322, 3.2.4), or the string as it is. */
const unquote = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"')
    ? text.slice(1, -1).replace(/\\(.)/g, "$1")
    : text
