/**
 * How long the transports wait for a mail server. RFC 5321, 4.5.3.2 asks for more at most stages; the times here are
 * what large senders use, because a message that waits occupies a slot that others need. Only the reply to the message
 * itself is waited for as long as the RFC says, because a timeout there makes the outcome unknown.
 *
 * @module
 */

/** The limits of production. */
export const limits = {
  /** For connecting and the greeting together. */
  openMillis: 30_000,
  /** For EHLO, encryption and authentication together. */
  helloMillis: 30_000,
  /** For MAIL, RCPT and DATA together. */
  commandMillis: 120_000,
  /** For the message except its last bytes. */
  bodyMillis: 300_000,
  /** From when on the message has to leave at 10 KB/s or more on average. */
  bodyGraceMillis: 10_000,
  /** For the reply to the message. */
  answerMillis: 600_000,
  /** After how much of that the transaction is parked. */
  parkMillis: 30_000,
  /** For RSET, before a connection is used again. */
  resetMillis: 10_000,
  /** For the server to close. */
  closeMillis: 2_000,
  /** For all attempts to open a connection to a destination. */
  reachMillis: 120_000
}

/** Times in milliseconds. */
export type Limits = Readonly<typeof limits>

/**
 * Limits where others wait for the slots that silent servers occupy, and for servers that accepted no message within a day. The
 * reply to the message is not among them.
 */
const contended: Partial<Limits> = {
  openMillis: 10_000,
  helloMillis: 10_000,
  commandMillis: 30_000,
  bodyMillis: 60_000,
  reachMillis: 30_000
}

/** The same limits with those of a provider. */
export const limitsOf = (
  of: Limits,
  {
    answerMs,
    commandMs,
    openMs
  }: { readonly openMs?: number; readonly commandMs?: number; readonly answerMs?: number }
): Limits => ({
  ...of,
  ...(openMs === undefined ? {} : { openMillis: openMs, helloMillis: openMs }),
  ...(commandMs === undefined ? {} : { commandMillis: commandMs }),
  ...(answerMs === undefined ? {} : { answerMillis: answerMs })
})

/** The same limits, none longer than those where others wait or nothing was accepted. */
export const shortened = (of: Limits): Limits =>
  Object.fromEntries(
    Object.entries(of).map(([name, millis]) => [
      name,
      Math.min(millis, contended[name as keyof Limits] ?? Infinity)
    ])
  ) as Limits
