/**
 * The policy of a domain on the encryption of mail sent to it (MTA-STS, RFC 8461).
 *
 * @module
 */

/** What a policy requires of senders. */
export type StsMode = "enforce" | "testing" | "none"

/** A policy as published by its domain. */
export interface StsRules {
  readonly mode: StsMode
  /** The names of mail servers, lower case; a leading `*.` stands for one label. Empty only with mode `none`. */
  readonly mx: ReadonlyArray<string>
  /** How long it is valid, seconds. */
  readonly maxAge: number
}

/** A fetched policy, stored for all nodes. */
export interface StsPolicy extends StsRules {
  readonly domain: string
  /** The id in the DNS record that announced it. */
  readonly policyId: string
  /** Epoch milliseconds. */
  readonly fetchedAt: number
  /** Until when it is valid, epoch milliseconds. */
  readonly expiresAt: number
}
