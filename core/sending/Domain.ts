/**
 * Domains an account sends from.
 *
 * @module
 */

/** How far a domain is verified. */
export type DomainStatus = "Pending" | "Verified" | "Failing"

/** A DNS record the customer publishes. */
export interface DomainRecord {
  readonly type: "TXT" | "MX" | "CNAME"
  readonly name: string
  readonly value: string
  readonly purpose: string
  /** Whether the last look-up found it. */
  readonly found: boolean
}

/** A domain an account sends from. */
export interface SendingDomain {
  readonly id: string
  readonly accountId: string
  /** Lower case, IDNA ASCII. */
  readonly domain: string
  readonly status: DomainStatus
  readonly records: ReadonlyArray<DomainRecord>
  /** Epoch milliseconds. */
  readonly verifiedAt: number | null
  /** Epoch milliseconds. */
  readonly createdAt: number
}
