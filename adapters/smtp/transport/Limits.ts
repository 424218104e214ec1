/**
 * Defines how long the transports wait for a mail server. RFC 5321, 4.5.3.2 recommends more in most stages. The values are those
 * of large senders, because a waiting message occupies a slot that others need. Only the wait for the reply to the message
 * itself is as long as the RFC requires, because a timeout in that stage makes the outcome unknown.
 *
 * @module
 */

/** The limits in production. */
export const limits = {
  /** For connecting and the greeting together. */
  openMillis: 30_000,
  /** For EHLO, encryption and authentication together. */
  helloMillis: 30_000,
  /** For MAIL, RCPT and DATA together. */
  commandMillis: 120_000,
  /** For the message except its last bytes. */
  bodyMillis: 300_000,
  /** After this time, the average rate of the message must be at least 10 KB/s. */
  bodyGraceMillis: 10_000,
  /** For the reply to the message. */
  answerMillis: 600_000,
  /** After how much of that time the transaction is parked. */
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
 * Shorter limits. They apply while others wait for the slots that silent servers occupy, and to servers that accepted no message
 * within a day. They do not include the reply to the message.
 */
const contended: Partial<Limits> = {
  openMillis: 10_000,
  helloMillis: 10_000,
  commandMillis: 30_000,
  bodyMillis: 60_000,
  reachMillis: 30_000
}

/** The limits, with the values that a provider has. */
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

/** The limits, none of them longer than the shorter limits above. */
export const shortened = (of: Limits): Limits =>
  Object.fromEntries(
    Object.entries(of).map(([name, millis]) => [
      name,
      Math.min(millis, contended[name as keyof Limits] ?? Infinity)
    ])
  ) as Limits
