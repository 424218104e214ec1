/**
 * What a mail server's refusal means (decisions 5): whether it speaks of the address, of anything else for good, or of
 * the moment, and how long it asks to be left alone.
 *
 * @module
 */

/** A server's reply (RFC 5321, 4.2), its lines joined. */
export interface SmtpReply {
  /** Three digits; 0 for what is no reply. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`; null without. */
  readonly status: string | null
  /** What is said after the codes, on one line. */
  readonly text: string
}

/** What a reply answers. `Message` is the answer to the message itself, after its last byte. */
export type SmtpStage = "Connect" | "Ehlo" | "StartTls" | "Auth" | "Mail" | "Rcpt" | "Data" | "Message"

/**
 * What a refusal refuses: `Bounced` the address for good, `Refused` the message, its sender or a policy for good,
 * `Deferred` anything for the time being.
 */
export type RefusalClass = "Bounced" | "Refused" | "Deferred"

/** What a refusal means. */
export interface Refusal {
  readonly class: RefusalClass
  /** The wait the server stated, milliseconds, at most 24 hours; null when it stated none. */
  readonly retryAfter: number | null
}

/** The longest wait that is taken from a server's words. */
export const maxRetryAfter = 24 * 3_600_000

/** More than this of a reply is not looked at. */
const maxText = 4000

/** The codes that speak of the address itself (decisions 5). */
const addressStatuses: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])

const mailboxFull = "5.2.2"

const statusForm = /^([245])\.(\d{1,3})\.(\d{1,3})$/

/** A status code in its one form, without leading zeros; null when it is none. */
export const parseStatus = (text: string): string | null => {
  const [, severity, subject, detail] = statusForm.exec(text.trim()) ?? []
  return severity === undefined ? null : `${severity}.${Number(subject)}.${Number(detail)}`
}

/**
 * What an enhanced status code (RFC 3463) says by itself; null for one of success and for what is none. A full mailbox
 * is temporary, whatever its class.
 */
export const classOfStatus = (text: string): RefusalClass | null => {
  const status = parseStatus(text)
  if (status === null || status.startsWith("2.")) return null
  if (status.startsWith("4.") || status === mailboxFull) return "Deferred"
  return addressStatuses.has(status) ? "Bounced" : "Refused"
}

/** Reads a reply of one or more lines. */
export const parseReply = (raw: string): SmtpReply => {
  let code = 0
  let status: string | null = null
  const texts: Array<string> = []
  for (const line of raw.slice(0, maxText).split(/[\r\n]+/)) {
    const [, digits, found, rest] =
      /^([2-5]\d\d)(?:[ -]|$)(?:([245]\.\d{1,3}\.\d{1,3})(?: |$))?(.*)$/.exec(line) ?? []
    if (digits !== undefined) code = Number(digits)
    if (found !== undefined) status ??= parseStatus(found)
    texts.push(rest ?? line)
  }
  return { code, status, text: texts.join(" ").trim() }
}

/** Whether a reply is 421: the server closes, and wants to be left alone by everybody (RFC 5321, 3.8). */
export const closesService = (reply: SmtpReply): boolean => reply.code === 421

/** What a reply that refuses means at its stage. A message is to have one recipient, so that a code can mean no other. */
export const classifyReply = (stage: SmtpStage, reply: SmtpReply): Refusal => ({
  class: classOf(stage, reply),
  retryAfter: statedWait(reply.text)
})

const classOf = (stage: SmtpStage, { code, status, text }: SmtpReply): RefusalClass => {
  // What is no refusal at all is a server out of order: another time it may be in order.
  if (code < 500 || isTemporaryInWords(text)) return "Deferred"
  switch (stage) {
    // RFC 7504: a host that never takes mail says so with 521. Anything else said this early is about the host and
    // its view of us, and not about the message: another of its hosts, or another day, may see it differently.
    case "Connect":
      return code === 521 ? "Refused" : "Deferred"
    case "Ehlo":
    case "StartTls":
    case "Auth":
      return "Deferred"
    // Whatever it says, it says it of the sender.
    case "Mail":
      return status !== null && status.startsWith("4.") ? "Deferred" : "Refused"
    case "Rcpt":
      return status === null ? classOfBareRcpt(code) : status === "5.5.0" ? "Bounced" : classOfStatus(status)!
    case "Data":
    case "Message":
      return (status === null ? null : classOfStatus(status)) ?? "Refused"
  }
}

/** A refusal of a recipient without an enhanced code. */
const classOfBareRcpt = (code: number): RefusalClass => {
  // 552 is storage (RFC 5321, 4.2.3), and once was too many recipients (4.5.3.1.10): both pass.
  if (code === 552) return "Deferred"
  // RFC 7504: 556 is a domain that takes no mail.
  if (code === 556) return "Bounced"
  // Without an enhanced code the words around it are not read: decisions 5 goes by the code alone.
  return code === 550 || code === 551 || code === 553 ? "Bounced" : "Refused"
}

/** Forms of greylisting that come with a permanent code. */
const isTemporaryInWords = (text: string): boolean => /\bgr[ae]y-?list/i.test(text)

const unitMillis = (unit: string): number => {
  switch (unit[0]!.toLowerCase()) {
    case "h":
      return 3_600_000
    case "m":
      return 60_000
    default:
      return 1000
  }
}

const waitWords =
  /\b(?:again|back|retry|wait|gr[ae]y-?list(?:ed|ing)?|delayed|defer(?:red)?|available|minimum)\b/i

const wait = /\b(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/i

const clockWait = /\b(\d{1,2}):([0-5]\d):([0-5]\d)\b/

/** The wait a text states: `try again in 5 minutes`, `please come back in 00:04:58`, `Greylisted for 300 seconds`. */
const statedWait = (text: string): number | null => {
  const words = waitWords.exec(text)
  if (words === null) return null
  // The number follows soon: one further on is about something else.
  const rest = text.slice(words.index, words.index + 120)
  const clock = clockWait.exec(rest)
  if (clock !== null) {
    const [, hours, minutes, seconds] = clock
    return bounded(Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000)
  }
  const stated = wait.exec(rest)
  return stated === null ? null : bounded(Number(stated[1]) * unitMillis(stated[2]!))
}

const bounded = (millis: number): number | null => (millis <= 0 ? null : Math.min(millis, maxRetryAfter))
