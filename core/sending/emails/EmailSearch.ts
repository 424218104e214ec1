/**
 * The rules of the search in the list of emails, for adapters that apply them without SQL.
 *
 * @module
 */
import type { SubmissionSummary } from "../../model/Submission.ts"
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { foldCase } from "../../shared/Validate.ts"

/**
 * Whether a search matches an email: its subject, a recipient's address or its idempotency key begins with the search text, or
 * the text is the id of the email or of the message to a recipient. Only idempotency keys are case-sensitive. Different
 * spellings of a whole address match.
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
