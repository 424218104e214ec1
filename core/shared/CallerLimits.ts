/**
 * The limits that apply to callers before they are authenticated. HTTP and SMTP have the same limits and count separately
 * (docs/security.md "Callers without a key").
 *
 * @module
 */

/** How many connections and bytes callers may use, and how slow they may be; times in milliseconds. */
export interface CallerLimits {
  /** The most open connections. */
  readonly maxConnections: number
  /** The most open connections per network. Trusted proxies have no such limit. */
  readonly maxConnectionsPerNetwork: number
  /** The most bytes held for unauthenticated callers. */
  readonly maxUnknownBytes: number
  /** The longest time from the connection, or the first byte of a request, to the end of the request's headers. */
  readonly headersMillis: number
  /** The longest time for a body; more is allowed while bytes arrive at `minBytesPerSecond`. */
  readonly bodyMillis: number
  /** The lowest average rate at which a body may arrive. */
  readonly minBytesPerSecond: number
  /** The longest time for which a response may stay unread. */
  readonly unreadMillis: number
  /** The longest time between a response and the next request. */
  readonly idleMillis: number
}

/** The limits of a service that does not configure any. */
export const defaultCallerLimits: CallerLimits = {
  maxConnections: 1_000,
  maxConnectionsPerNetwork: 100,
  maxUnknownBytes: 64 * 1024 * 1024,
  headersMillis: 20_000,
  bodyMillis: 10_000,
  minBytesPerSecond: 1_000,
  unreadMillis: 60_000,
  idleMillis: 30_000
}
