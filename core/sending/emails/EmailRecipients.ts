/**
 * The recipients of a request and their rules (decisions 5).
 *
 * @module
 */
import { type Mailbox, type MailboxWrite, parseMailbox } from "../../shared/Mailbox.ts"
import { type Issue, issue } from "../../shared/Problem.ts"
import type { Maybe } from "../../shared/Validate.ts"
import type { RecipientKind } from "../../model/Submission.ts"

/** Somebody an email goes to. */
export interface Recipient extends Mailbox {
  readonly kind: RecipientKind
}

/** The most recipients of an email, all roles together. */
export const maxRecipients = 50

/** The fields of a request that name recipients, in the order in which roles win. */
const roles = [
  ["to", "To"],
  ["cc", "Cc"],
  ["bcc", "Bcc"]
] as const satisfies ReadonlyArray<readonly [string, RecipientKind]>

/** What a request says of its recipients. */
export type RecipientsWrite = {
  readonly [Field in (typeof roles)[number][0]]?: Maybe<MailboxWrite | ReadonlyArray<MailboxWrite>>
}

/**
 * Checks recipients. An address given twice is one recipient, in its first role. `to` is there, but a list of it can be
 * empty: a relay's message can be addressed to somebody else than it goes to.
 */
export const checkRecipients = (request: RecipientsWrite, issues: Array<Issue>): ReadonlyArray<Recipient> => {
  const given = roles.map(([field, kind]) => ({ field, kind, list: request[field] ?? [] }))
  const count = given.reduce((sum, { list }) => sum + (isList(list) ? list.length : 1), 0)
  if (count > maxRecipients) {
    issues.push(issue("sending.recipients_too_many", "to", { max: maxRecipients }))
    return []
  }
  if (request.to == null || count === 0) issues.push(issue("validation.required", "to"))
  const byEmail = new Map<string, Recipient>()
  for (const { field, kind, list } of given) {
    const writes = isList(list) ? list : [list]
    for (const [index, write] of writes.entries()) {
      const mailbox = parseMailbox(write)
      if (mailbox === null) {
        issues.push(issue("validation.email", isList(list) ? `${field}[${index}]` : field))
      } else if (!byEmail.has(mailbox.email)) byEmail.set(mailbox.email, { ...mailbox, kind })
    }
  }
  return [...byEmail.values()]
}

const isList = (value: MailboxWrite | ReadonlyArray<MailboxWrite>): value is ReadonlyArray<MailboxWrite> =>
  Array.isArray(value)
