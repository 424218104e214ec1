/**
 * Parses the replies of mail servers (RFC 5321, 4.2; RFC 3463), and the wait that they state.
 *
 * @module
 */

/** A server's reply (RFC 5321, 4.2), its lines joined. */
export interface SmtpReply {
  /** Three digits; 0 if the input is not a reply. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`; null if there is none. */
  readonly status: string | null
  /** The text after the codes, on one line. */
  readonly text: string
}

/** The step of an SMTP session to which a reply belongs. `Message` is the reply after the message's last byte. */
export const smtpStages = ["Connect", "Ehlo", "StartTls", "Auth", "Mail", "Rcpt", "Data", "Message"] as const
export type SmtpStage = (typeof smtpStages)[number]

/** The longest wait that is read from a reply. */
export const maxRetryAfter = 24 * 3_600_000

/** The maximum number of characters that are read of a reply. */
const maxText = 4000

const statusForm = /^([245])\.(\d{1,3})\.(\d{1,3})$/

/** A status code in canonical form, without leading zeros; null if it is invalid. */
export const parseStatus = (text: string): string | null => {
  const [, severity, subject, detail] = statusForm.exec(text.trim()) ?? []
  return severity === undefined ? null : `${severity}.${Number(subject)}.${Number(detail)}`
}

/** Parses a reply of one or more lines. Servers also write the status code as `#5.7.1`, `(5.7.1)` and `5.7.1:`. */
export const parseReply = (raw: string): SmtpReply => {
  let code = 0
  let status: string | null = null
  const texts: Array<string> = []
  for (const line of raw.slice(0, maxText).split(/[\r\n]+/)) {
    const [, digits, found, rest] =
      /^([2-5]\d\d)(?:[ -]|$)(?:[#([]?([245]\.\d{1,3}\.\d{1,3})[)\]]?:?(?: |$))?(.*)$/.exec(line) ?? []
    if (digits !== undefined) code = Number(digits)
    const stated = found === undefined ? null : parseStatus(found)
    status ??= stated
    // A code that differs from the first is part of the text.
    texts.push(stated === null || stated === status ? (rest ?? line) : `${stated} ${rest}`)
  }
  return { code, status, text: texts.join(" ").trim() }
}

/** Whether a reply is 421: the server closes the connection and accepts no others for now (RFC 5321, 3.8). */
export const closesService = (reply: SmtpReply): boolean => reply.code === 421

/** Milliseconds of a unit of time, by its first letter. */
const unitMillis: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

const waitWords =
  /\b(?:again|back|retry|wait|gr[ae]y-?list(?:ed|ing)?|delayed|defer(?:red)?|available|minimum)\b/i

const wait = /\b(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/i

const clockWait = /\b(\d{1,2}):([0-5]\d):([0-5]\d)\b/

/**
 * The wait that a reply's text states, milliseconds, at most `maxRetryAfter`; null if it states none. Examples are `try again
 * in 5 minutes`, `please come back in 00:04:58` and `Greylisted for 300 seconds`.
 */
export const statedWait = (text: string): number | null => {
  const words = waitWords.exec(text)
  if (words === null) return null
  // The number must follow closely. A number further away concerns something else.
  const rest = text.slice(words.index, words.index + 120)
  const clock = clockWait.exec(rest)
  if (clock !== null) {
    const [, hours, minutes, seconds] = clock
    return bounded(Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000)
  }
  const stated = wait.exec(rest)
  return stated === null ? null : bounded(Number(stated[1]) * unitMillis[stated[2]![0]!.toLowerCase()]!)
}

const bounded = (millis: number): number | null => (millis <= 0 ? null : Math.min(millis, maxRetryAfter))
