/**
 * Explains to people what the service would do after a given reply.
 *
 * @module
 */
import { Result } from "effect"
import { Problem } from "../../shared/Problem.ts"
import type { AnswerAction, AnswerScope } from "../../model/Answer.ts"
import { answerReasons, decideAnswer, reasonAfter } from "./Answers.ts"
import type { ProviderTable } from "./Providers.ts"
import { parseReply, type SmtpStage } from "./SmtpReply.ts"

/** The maximum number of characters of a reply. */
export const maxReply = 10_000

const begins = /^[2-5]\d\d(?:[ -]|$)/

/** How logs and reports of other servers introduce a reply. */
const introduced = /\b(?:said|replied|responded)(?: with)?:\s{0,9}|\bsmtp;\s{0,9}/i

/**
 * Finds the reply in a text that people paste: `host mx.example.org[192.0.2.1] said: 550 5.1.1 ...`, `smtp; 550 5.1.1 ...`.
 */
const replyIn = (pasted: string): string => {
  const text = pasted.trim()
  if (begins.test(text)) return text
  const found = introduced.exec(text)
  const rest = found === null ? "" : text.slice(found.index + found[0].length)
  return begins.test(rest) ? rest : text
}

/** The reasons that a reply may give a recipient's delivery. */
export const classifiedReasons = [...answerReasons, "sending.outcome_unknown"] as const
export type ClassifiedReason = (typeof classifiedReasons)[number]

/** The consequences of a reply; the action is `Accept` for a success. */
export interface Classification {
  readonly action: AnswerAction | "Accept"
  readonly scope: AnswerScope | null
  /** The id of the rule, or the code, that decided. */
  readonly rule: string
  /** The reason that the recipient's delivery would have; null if it has none. */
  readonly reason: ClassifiedReason | null
  readonly remedy: string | null
  readonly source: string | null
}

/**
 * Returns the consequences of a reply at a stage, from servers of a provider in the table. Fails with validation.max_length
 * for a reply that is too long, and with validation.format for a provider that is not in the table.
 */
export const classify = (
  table: ProviderTable,
  reply: string,
  stage: SmtpStage,
  provider: string | null
): Result.Result<Classification, Problem> => {
  if (reply.length > maxReply)
    return Result.fail(Problem.of("validation.max_length", "reply", { max: maxReply }))
  if (provider !== null && table.withKey(provider) === null)
    return Result.fail(
      Problem.of("validation.format", "provider", null, {
        expected: table.entries.map(({ key }) => key).join(", ")
      })
    )
  const parsed = parseReply(replyIn(reply))
  if (parsed.code >= 200 && parsed.code < 300)
    return Result.succeed({
      action: "Accept",
      scope: null,
      rule: String(parsed.code),
      reason: null,
      remedy: null,
      source: null
    })
  const { action, remedy, rule, scope, source } = decideAnswer(parsed, { stage, provider, isRelay: false })
  return Result.succeed({
    action,
    scope,
    rule,
    // A response to the message that is not a valid reply leaves open whether the server has accepted it.
    reason: stage === "Message" && parsed.code < 400 ? "sending.outcome_unknown" : reasonAfter(action),
    remedy: remedy === "" ? null : remedy,
    source
  })
}
