/**
 * Reads the mailboxes of a message's address headers.
 *
 * @module
 */
import { parseEmail } from "../shared/EmailAddress.ts"
import { isDisplayName, type Mailbox } from "../shared/Mailbox.ts"

/** A mailbox of an address header, with its name decoded and its address not validated. */
export interface MailAddress {
  readonly address: string
  readonly name: string
}

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g

/** Returns a string as a single line that can be stored: control characters and line breaks of any script become spaces. */
export const lineOf = (text: string): string => text.toWellFormed().replaceAll(controls, " ").trim()

/** The mailbox of a header; null if its address is invalid. An invalid name is left out. */
export const mailboxOf = ({ address, name }: MailAddress): Mailbox | null => {
  const email = parseEmail(address)
  const line = lineOf(name)
  return email === null ? null : { email, name: line !== "" && isDisplayName(line) ? line : null }
}
