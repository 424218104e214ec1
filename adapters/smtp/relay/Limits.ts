/**
 * How much the relay takes, and for how long it waits.
 *
 * @module
 */

/** The relay's limits; times in milliseconds. */
export interface Limits {
  /** The bytes of a message. */
  readonly maxMessageBytes: number
  /** The bytes past that which are still read, so that the client hears why; then the connection is cut. */
  readonly maxDiscardedBytes: number
  /** The bytes of messages being read, of all connections together. */
  readonly maxHeldBytes: number
  readonly maxRecipients: number
  readonly maxConnections: number
  readonly maxConnectionsOfAddress: number
  readonly maxMessagesOfConnection: number
  /** Refused commands and messages with no accepted message between them. */
  readonly maxErrors: number
  /** Commands other than those of a message, with no accepted message between them. */
  readonly maxIdleCommands: number
  /** The characters of a command line. */
  readonly maxCommandLength: number
  /** From connecting to having logged in. */
  readonly loginMillis: number
  /** Between commands (RFC 5321, 4.5.3.2.7). */
  readonly idleMillis: number
  /** A message may last this long, and longer as its bytes come at `minBytesPerSecond`. */
  readonly messageMillis: number
  readonly minBytesPerSecond: number
  /** The longest a message is worked on before its client is asked to come again. */
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
