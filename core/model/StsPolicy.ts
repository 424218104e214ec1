/**
 * The policy of a domain about the encryption of mail to it (MTA-STS, RFC 8461).
 *
 * @module
 */

/** What a policy asks of senders. */
export type StsMode = "enforce" | "testing" | "none"

/** A policy as its domain publishes it. */
export interface StsRules {
  readonly mode: StsMode
  /** The names of mail servers, lower case; `*.` at the beginning stands for one label. Empty with mode `none` alone. */
  readonly mx: ReadonlyArray<string>
  /** How long it holds, seconds. */
  readonly maxAge: number
}

/** A policy that was fetched, kept for all nodes. */
export interface StsPolicy extends StsRules {
  readonly domain: string
  /** The id of the record that announced it. */
  readonly policyId: string
  /** Epoch milliseconds. */
  readonly fetchedAt: number
  /** Until when it holds, epoch milliseconds. */
  readonly expiresAt: number
}
