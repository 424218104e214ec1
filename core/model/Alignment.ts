/**
 * Whether email from a sending domain is authenticated as large mailbox providers require.
 *
 * @module
 */

/** The checks of a sending domain and of the servers that send for it; `Relay` occurs once for each relay of the account. */
export const alignmentChecks = ["Dkim", "Spf", "Dmarc", "Unsubscribe", "Mx", "Ptr", "Tls", "Relay"] as const

/** The name of a check. */
export type AlignmentCheckName = (typeof alignmentChecks)[number]

/** `Fail` if Google, Yahoo or Microsoft require more of a large sender; `Warn` for anything else that may cost deliveries. */
export const alignmentOutcomes = ["Pass", "Warn", "Fail"] as const

/** The outcome of a check. */
export type AlignmentOutcome = (typeof alignmentOutcomes)[number]

/** A check of a sending domain. */
export interface AlignmentCheck {
  readonly check: AlignmentCheckName
  readonly outcome: AlignmentOutcome
  /** The records found in the DNS, or the name of the relay; null if nothing was looked up. */
  readonly seen: string | null
  readonly expected: string
  /** What to do; null if the check passed. */
  readonly fix: string | null
}
