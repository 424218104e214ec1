/**
 * Decides whether the email of a campaign, which is rendered again to be shown, is the same as what was sent.
 *
 * @module
 */
import { isPending } from "../../model/DeliveryStatus.ts"
import type { Delivery, UnloadedSubmission } from "../../model/Submission.ts"
import { formatUuid } from "../../shared/Uuid.ts"

/** The parts of an email that are compared. */
interface Content {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/**
 * The first 16 bytes of the SHA-256 of content, in the form of a UUID, which takes 16 bytes in a database.
 *
 * @param links the links to the person's own pages. Only their positions count, since the installation's keys and base URL
 * change the links
 */
export const contentHash = (
  sha256Hex: (text: string) => string,
  { html, subject, text }: Content,
  links: ReadonlyArray<string>
): string => {
  const withoutLinks = (part: string | null) =>
    part === null ? null : links.reduce((left, link, index) => left.replaceAll(link, `\0${index}`), part)
  const parts = JSON.stringify([subject, html, text].map(withoutLinks))
  return formatUuid(sha256Hex(parts).slice(0, 32))
}

/**
 * Whether an email as shown is what was sent to a recipient; null if that is not known, and before the email is sent. True for
 * an email that no campaign sent, since its content is stored.
 */
export const isAsSent = (
  shown: Pick<UnloadedSubmission, "contentHash" | "marketing">,
  sent: Pick<Delivery, "contentHash" | "status"> | undefined
): boolean | null => {
  if (shown.marketing?.campaign === undefined) return true
  if (sent === undefined || sent.contentHash === null || isPending(sent.status)) return null
  return shown.contentHash === sent.contentHash
}
