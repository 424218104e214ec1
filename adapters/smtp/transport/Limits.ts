/**
 * How long the transports wait for a mail server. RFC 5321, 4.5.3.2 asks for more at most stages; the times here are
 * what large senders use, because a message that waits occupies a slot that others need. Only the reply to the message
 * itself is waited for as long as the RFC says, because a timeout there makes the outcome unknown.
 *
 * @module
 */

/** Times in milliseconds. */
export interface Limits {
  /** For connecting, the greeting, EHLO, encryption and authentication together. */
  readonly openMillis: number
  /** For MAIL, RCPT and DATA together. */
  readonly commandMillis: number
  /** For the message except its last bytes. */
  readonly bodyMillis: number
  /** For the reply to the message. */
  readonly answerMillis: number
  /** For RSET, before a connection is used again. */
  readonly resetMillis: number
  /** For the server to close. */
  readonly closeMillis: number
  /** For all attempts to open a connection to a destination. */
  readonly reachMillis: number
}

/** The limits of production. */
export const limits: Limits = {
  openMillis: 30_000,
  commandMillis: 120_000,
  bodyMillis: 300_000,
  answerMillis: 600_000,
  resetMillis: 10_000,
  closeMillis: 2_000,
  reachMillis: 120_000
}
