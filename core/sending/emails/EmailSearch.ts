/**
 * What a search of the list of emails finds, for adapters that check it without SQL.
 *
 * @module
 */
import type { SubmissionSummary } from "../../model/Submission.ts"
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { foldCase } from "../../shared/Validate.ts"

/**
 * Whether a search finds an email: its subject, a recipient's address or its idempotency key begins with it, or it is the id
 * of the email or of the message to a recipient. Case counts in idempotency keys alone, and the spelling of a whole address does not.
 */
export const isFound = (
  {
    deliveries,
    id,
    idempotencyKey,
    subject
  }: Pick<SubmissionSummary, "deliveries" | "id" | "idempotencyKey" | "subject">,
  q: string
): boolean => {
  const folded = foldCase(q)
  const address = comparableAddress(q)
  return (
    (subject !== "" && foldCase(subject).startsWith(folded)) ||
    idempotencyKey?.startsWith(q) === true ||
    id === folded ||
    deliveries.some((delivery) => delivery.id === folded || delivery.email.startsWith(address))
  )
}
