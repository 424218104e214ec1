/**
 * The limits of the relay: sizes, counts and times.
 *
 * @module
 */

/** The relay's limits; times in milliseconds. */
export interface Limits {
  /** The bytes of a message. */
  readonly maxMessageBytes: number
  /** The bytes beyond that are still read, so that the client reads the reply; then the connection is closed. */
  readonly maxDiscardedBytes: number
  /** The bytes of messages being read, of all connections together. */
  readonly maxHeldBytes: number
  readonly maxRecipients: number
  readonly maxConnections: number
  readonly maxConnectionsOfAddress: number
  readonly maxMessagesOfConnection: number
  /** Rejected commands and messages without an accepted message between them. */
  readonly maxErrors: number
  /** Commands other than those of a message, without an accepted message between them. */
  readonly maxIdleCommands: number
  /** The characters of a command line. */
  readonly maxCommandLength: number
  /** From the connection to the login. */
  readonly loginMillis: number
  /** Between commands (RFC 5321, 4.5.3.2.7). */
  readonly idleMillis: number
  /** A message may take this long, and longer for bytes that come at `minBytesPerSecond`. */
  readonly messageMillis: number
  readonly minBytesPerSecond: number
  /** How long a command may be processed before the reply is 451. */
  readonly takeMillis: number
  /** How long connections may finish when the server stops. */
  readonly graceMillis: number
}

/** The limits of a server. */
export const defaultLimits: Limits = {
  maxMessageBytes: 10 * 1024 * 1024,
  maxDiscardedBytes: 20 * 1024 * 1024,
  maxHeldBytes: 256 * 1024 * 1024,
  maxRecipients: 50,
  maxConnections: 500,
  maxConnectionsOfAddress: 100,
  maxMessagesOfConnection: 10_000,
  maxErrors: 20,
  maxIdleCommands: 100,
  maxCommandLength: 2_048,
  loginMillis: 60_000,
  idleMillis: 300_000,
  messageMillis: 60_000,
  minBytesPerSecond: 1_000,
  takeMillis: 60_000,
  graceMillis: 7_000
}
