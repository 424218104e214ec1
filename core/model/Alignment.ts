/**
 * Whether email of a sending domain is authenticated as large providers require it.
 *
 * @module
 */

/** What is checked of a sending domain and of the servers that send for it; `Relay` once for each relay of the account. */
export const alignmentChecks = ["Dkim", "Spf", "Dmarc", "Unsubscribe", "Mx", "Ptr", "Tls", "Relay"] as const

/** What is checked. */
export type AlignmentCheckName = (typeof alignmentChecks)[number]

/** `Fail` where Google, Yahoo or Microsoft require more of a large sender, `Warn` for what else may cost mail. */
export const alignmentOutcomes = ["Pass", "Warn", "Fail"] as const

/** The outcome of a check. */
export type AlignmentOutcome = (typeof alignmentOutcomes)[number]

/** A check of a sending domain. */
export interface AlignmentCheck {
  readonly check: AlignmentCheckName
  readonly outcome: AlignmentOutcome
  /** What the DNS has, or the name of the relay; null where nothing was looked up. */
  readonly seen: string | null
  readonly expected: string
  /** What to do; null where the check passed. */
  readonly fix: string | null
}
