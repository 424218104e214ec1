/**
 * Validates the recipients of a request (docs/contributing/decisions.md 5).
 *
 * @module
 */
import { type Mailbox, type MailboxWrite, parseMailbox } from "../../shared/Mailbox.ts"
import type { Issues } from "../../shared/Problem.ts"
import type { Maybe } from "../../shared/Validate.ts"
import type { RecipientKind } from "../../model/Submission.ts"

/** A recipient of an email. */
export interface Recipient extends Mailbox {
  readonly kind: RecipientKind
}

/** The maximum number of recipients of an email, over all roles. */
export const maxRecipients = 50

/** The fields of a request that have recipients. An address in several fields gets the first role. */
const roles = [
  ["to", "To"],
  ["cc", "Cc"],
  ["bcc", "Bcc"]
] as const satisfies ReadonlyArray<readonly [string, RecipientKind]>

/** The recipients of a request, as submitted. */
export type RecipientsWrite = {
  readonly [Field in (typeof roles)[number][0]]?: Maybe<MailboxWrite | ReadonlyArray<MailboxWrite>>
}

/**
 * Validates recipients. An address given twice is one recipient, in its first role. `to` is required but may be empty, since
 * the envelope of a relayed message can have other recipients than its To header.
 */
export const checkRecipients = (request: RecipientsWrite, issues: Issues): ReadonlyArray<Recipient> => {
  const given = roles.map(([field, kind]) => ({ field, kind, list: request[field] ?? [] }))
  const count = given.reduce((sum, { list }) => sum + (isList(list) ? list.length : 1), 0)
  if (count > maxRecipients) {
    issues.add("sending.recipients_too_many", "to", { max: maxRecipients })
    return []
  }
  if (request.to == null || count === 0) issues.add("validation.required", "to")
  const byEmail = new Map<string, Recipient>()
  for (const { field, kind, list } of given) {
    const writes = isList(list) ? list : [list]
    for (const [index, write] of writes.entries()) {
      const mailbox = parseMailbox(write)
      if (mailbox === null) {
        issues.add("validation.email", isList(list) ? `${field}[${index}]` : field)
      } else if (!byEmail.has(mailbox.email)) byEmail.set(mailbox.email, { ...mailbox, kind })
    }
  }
  return [...byEmail.values()]
}

const isList = (value: MailboxWrite | ReadonlyArray<MailboxWrite>): value is ReadonlyArray<MailboxWrite> =>
  Array.isArray(value)
