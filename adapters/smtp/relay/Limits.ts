/**
 * The limits of the relay: sizes, counts and times.
 *
 * @module
 */

import { defaultCallerLimits } from "../../../core/shared/CallerLimits.ts"

/** The limits of a server. */
export const defaultLimits = {
  /** The bytes of a message. */
  maxMessageBytes: 10 * 1024 * 1024,
  /** The bytes beyond that are still read, so that the client reads the reply; then the connection is closed. */
  maxDiscardedBytes: 20 * 1024 * 1024,
  /** The bytes of messages being read, of all connections together. */
  maxHeldBytes: 256 * 1024 * 1024,
  maxRecipients: 50,
  maxConnections: defaultCallerLimits.maxConnections,
  maxConnectionsPerNetwork: defaultCallerLimits.maxConnectionsPerNetwork,
  maxMessagesOfConnection: 10_000,
  /** Rejected commands and messages without an accepted message between them. */
  maxErrors: 20,
  /** Commands other than those of a message, without an accepted message between them. */
  maxIdleCommands: 100,
  /** The characters of a command line. */
  maxCommandLength: 2_048,
  /** From the connection to the login. */
  loginMillis: 60_000,
  /** Between commands (RFC 5321, 4.5.3.2.7). */
  idleMillis: 300_000,
  /** A message may take this long, and longer for bytes that come at `minBytesPerSecond`. */
  messageMillis: defaultCallerLimits.bodyMillis,
  minBytesPerSecond: defaultCallerLimits.minBytesPerSecond,
  /** How long a command may be processed before the reply is 451. */
  takeMillis: 60_000,
  /** How long connections may finish when the server stops. */
  graceMillis: 7_000
}

/** The relay's limits; times in milliseconds. */
export type Limits = Readonly<typeof defaultLimits>
