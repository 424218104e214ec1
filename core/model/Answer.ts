/**
 * What a mail server's reply means: for the recipient, for other mail, and for the limits of the lane.
 *
 * @module
 */

/**
 * What a reply leads to.
 *
 * - `Retry`: the recipient is tried again, by the schedule of temporary rejections.
 * - `SlowDown`: tried again without an attempt being counted; the lane sends less.
 * - `PauseSource`, `PauseSender`, `PauseSite`: held without an attempt being counted; the address, the sending domain or the
 *   whole site is suspended.
 * - `FailMessage`, `Mailbox`: failed, never suppressed.
 * - `Bounce`: bounced, and the address suppressed.
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

/** When a suspension ends that no time ends: once a check finds what was wrong corrected. */
export const answerChecks = ["Authentication", "ReverseDns"] as const

/** What a reply means. */
export interface Answer {
  readonly action: AnswerAction
  readonly scope: AnswerScope
  /** The id of the rule; the enhanced code or the code where no rule matched. */
  readonly rule: string
  /** What the sender or the operator can do; empty for nothing. */
  readonly remedy: string
  readonly source: string
  /** The length of a suspension, and the longest, to which it is doubled each time. */
  readonly minutes?: number
  readonly mostMinutes?: number
  readonly untilCheck?: (typeof answerChecks)[number]
  /** The rate of the lane for `minutes`, messages a minute. */
  readonly perMinute?: number
  /** The most attempts; then the message fails. */
  readonly attempts?: number
  /** What the reply leads to from so many of them on, within a time. */
  readonly strikes?: {
    readonly count: number
    readonly withinMinutes: number
    readonly action: AnswerAction
    readonly scope: AnswerScope
    readonly minutes: number
  }
}
