/**
 * Assigns a role to each recipient of an envelope (docs/contributing/public-api.md "SMTP relay").
 *
 * @module
 */
import type { Mailbox } from "../shared/Mailbox.ts"
import { type MailAddress, mailboxOf } from "./MailAddress.ts"

/** Recipients by role. */
export interface Roles {
  readonly to: ReadonlyArray<Mailbox>
  readonly cc: ReadonlyArray<Mailbox>
  readonly bcc: ReadonlyArray<Mailbox>
}

/**
 * Assigns the roles of an envelope's addresses. An address in the To or Cc header gets that role, with its display name; any
 * other is Bcc. Addresses that are only in a header are left out. Without a To header, a single recipient is To, and several
 * recipients are invalid: null.
 *
 * @param envelope normalized, without duplicates
 * @param to null without a To header
 */
export const assignRoles = (
  envelope: ReadonlyArray<string>,
  to: ReadonlyArray<MailAddress> | null,
  cc: ReadonlyArray<MailAddress>
): Roles | null => {
  if (to === null) {
    const [only, ...others] = envelope
    if (only === undefined || others.length > 0) return null
    return {
      to: [{ email: only, name: mailboxesOf(cc).find(({ email }) => email === only)?.name ?? null }],
      cc: [],
      bcc: []
    }
  }
  const left = new Set(envelope)
  const take = (mailboxes: ReadonlyArray<Mailbox>) => mailboxes.filter(({ email }) => left.delete(email))
  const roles = { to: take(mailboxesOf(to)), cc: take(mailboxesOf(cc)) }
  return { ...roles, bcc: [...left].map((email) => ({ email, name: null })) }
}

const mailboxesOf = (addresses: ReadonlyArray<MailAddress>): ReadonlyArray<Mailbox> =>
  addresses.map(mailboxOf).filter((mailbox) => mailbox !== null)
