/**
 * Decides what the messages of an email contain in addition to the given content: a complete HTML document, a text part, and
 * the header fields of marketing.
 *
 * @module
 */
import { Effect } from "effect"
import type { EmailBodies, ExtraHeader, UnloadedSubmission } from "../../model/Submission.ts"
import type { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import { RunOwner } from "../../ports/Threads.ts"

/**
 * The HTML and text of an email's messages, before tracking. HTML becomes a complete document, with a text part beside it
 * unless the email has empty text or keeps its content.
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

/** The random end of a UUIDv7. It distinguishes the ids of an account, and is short enough for the header. */
const shortId = (id: string): string => id.slice(-12)

/**
 * The header fields of a marketing email in addition to those of its unsubscribe link: the id of the list (RFC 2919), and the
 * field by which Gmail's feedback loop counts complaints. None for a transactional email.
 *
 * @param domain the sender's domain
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
