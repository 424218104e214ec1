/**
 * The limits that callers meet before anyone knows who they are, the same for HTTP and SMTP, which count apart
 * (docs/security.md "Callers without a key").
 *
 * @module
 */

/** How many connections and bytes callers may hold, and how slow they may be; times in milliseconds. */
export interface CallerLimits {
  /** Open connections. */
  readonly maxConnections: number
  /** Open connections of a network. Trusted proxies have no such limit. */
  readonly maxConnectionsPerNetwork: number
  /** Bytes held for callers that are not authenticated. */
  readonly maxUnknownBytes: number
  /** From the connection, or the first byte of a request, to the end of the request's headers. */
  readonly headersMillis: number
  /** How long a body may take, and longer for bytes that come at `minBytesPerSecond`. */
  readonly bodyMillis: number
  /** The slowest a body may come on average. */
  readonly minBytesPerSecond: number
  /** How long an answer may go unread. */
  readonly unreadMillis: number
  /** Between an answer and the next request. */
  readonly idleMillis: number
}

/** The limits of a service that configures none. */
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
