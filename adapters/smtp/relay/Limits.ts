/**
 * The limits of the relay: sizes, counts and times.
 *
 * @module
 */

import { defaultCallerLimits } from "../../../core/shared/CallerLimits.ts"

/** The limits of a server. */
export const defaultLimits = {
  /** The maximum size of a message, in bytes. */
  maxMessageBytes: 10 * 1024 * 1024,
  /** How many more bytes are read, so that the client can read the reply. Then the connection is closed. */
  maxDiscardedBytes: 20 * 1024 * 1024,
  /** The maximum bytes of messages that are being read, on all connections. */
  maxHeldBytes: 256 * 1024 * 1024,
  maxRecipients: 50,
  maxConnections: defaultCallerLimits.maxConnections,
  maxConnectionsPerNetwork: defaultCallerLimits.maxConnectionsPerNetwork,
  maxMessagesOfConnection: 10_000,
  /** The maximum number of rejected commands and messages without an accepted message in between. */
  maxErrors: 20,
  /** The maximum number of commands that do not belong to a message, without an accepted message in between. */
  maxIdleCommands: 100,
  /** The maximum length of a command line, in characters. */
  maxCommandLength: 2_048,
  /** From the beginning of the connection to the login. */
  loginMillis: 60_000,
  /** Between commands (RFC 5321, 4.5.3.2.7). */
  idleMillis: 300_000,
  /** How long a message may take. Bytes that arrive at `minBytesPerSecond` extend the time. */
  messageMillis: defaultCallerLimits.bodyMillis,
  minBytesPerSecond: defaultCallerLimits.minBytesPerSecond,
  /** How long a command may be processed before the reply is 451. */
  takeMillis: 60_000,
  /** How long connections may take to finish when the server stops. */
  graceMillis: 7_000
}

/** The relay's limits. Times are in milliseconds. */
export type Limits = Readonly<typeof defaultLimits>
