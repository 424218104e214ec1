/**
 * What a mail server's reply means for the recipient, for other mail, and for the limits of the lane.
 *
 * @module
 */

/**
 * The effect of a reply.
 *
 * - `Retry`: the message is tried again, by the schedule of temporary rejections.
 * - `SlowDown`: tried again without counting an attempt; the lane sends more slowly.
 * - `PauseSource`, `PauseSender`, `PauseSite`: held without counting an attempt; the source address, the sending domain or the
 *   whole site is suspended.
 * - `FailMessage`, `Mailbox`: failed; the address is never suppressed.
 * - `Bounce`: bounced, and the address is suppressed.
 * - `Probe`: held until the outcome of another message shows whom the reply concerns.
 */
export const answerActions = [
  "Retry",
  "SlowDown",
  "PauseSource",
  "PauseSender",
  "PauseSite",
  "FailMessage",
  "Mailbox",
  "Bounce",
  "Probe"
] as const
export type AnswerAction = (typeof answerActions)[number]

/** What a reply concerns. */
export const answerScopes = [
  "server",
  "site",
  "source",
  "sender",
  "lane",
  "connection",
  "encryption",
  "message",
  "mailbox",
  "recipient",
  "greylist",
  "unknown"
] as const
export type AnswerScope = (typeof answerScopes)[number]

/** The checks that end a suspension without an end time, once they find the cause corrected. */
export const answerChecks = ["Authentication", "ReverseDns"] as const

/** The meaning of a reply. */
export interface Answer {
  readonly action: AnswerAction
  readonly scope: AnswerScope
  /** The id of the rule that matched; without one, the enhanced status code or the reply code. */
  readonly rule: string
  /** What the sender or the operator can do; empty if nothing. */
  readonly remedy: string
  readonly source: string
  /** The duration of a suspension, and its maximum, up to which it doubles each time. */
  readonly minutes?: number
  readonly mostMinutes?: number
  readonly untilCheck?: (typeof answerChecks)[number]
  /** The rate of the lane during `minutes`, messages per minute. */
  readonly perMinute?: number
  /** The most attempts, after which the message fails. */
  readonly attempts?: number
  /** The effect of the reply once a number of such replies arrive within a time. */
  readonly strikes?: {
    readonly count: number
    readonly withinMinutes: number
    readonly action: AnswerAction
    readonly scope: AnswerScope
    readonly minutes: number
  }
}
