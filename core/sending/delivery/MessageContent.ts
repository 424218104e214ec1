/**
 * Decides what the messages of an email contain beside what was given: a whole document, a text part, and the header fields
 * of marketing.
 *
 * @module
 */
import { Effect } from "effect"
import type { EmailBodies, ExtraHeader, UnloadedSubmission } from "../../model/Submission.ts"
import type { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import { RunOwner } from "../../ports/Threads.ts"

/**
 * The html and text of an email's messages, before tracking. Html is a whole document with a text beside it, unless the email
 * has empty text or keeps its content.
 */
export const completedBodies = (
  rewriter: HtmlRewriter["Service"],
  { accountId, language, subject }: Pick<UnloadedSubmission, "accountId" | "language" | "subject">,
  { html, text }: EmailBodies
): Effect.Effect<EmailBodies> => {
  const given = text === "" ? null : text
  if (html === null || language === null) return Effect.succeed({ html, text: given })
  return Effect.map(
    text === null ? Effect.provideService(rewriter.text(html), RunOwner, accountId) : Effect.succeed(given),
    (made) => ({ html: rewriter.document(html, { language, title: subject }), text: made })
  )
}

/** The random end of a UUIDv7, which distinguishes the ids of an account in as few characters as a header has room for. */
const shortId = (id: string): string => id.slice(-12)

/**
 * The header fields of a marketing email beside those of its unsubscribe link: which list it is of (RFC 2919), and what
 * Gmail's feedback loop counts complaints by. None for a transactional email.
 *
 * @param domain the sender's
 */
export const listHeaders = (
  { accountId, flowId, marketing }: Pick<UnloadedSubmission, "accountId" | "flowId" | "marketing">,
  domain: string
): ReadonlyArray<ExtraHeader> => {
  const campaignId = marketing?.campaign?.id ?? null
  const source = marketing?.topicId ?? flowId ?? campaignId
  if (marketing === null || source === null) return []
  const account = shortId(accountId)
  return [
    { name: "List-Id", value: `<${shortId(source)}.${account}.${domain}>` },
    { name: "Feedback-ID", value: `${shortId(flowId ?? campaignId ?? source)}:${account}:marketing:svc` }
  ]
}
