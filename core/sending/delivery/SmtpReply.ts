/**
 * Classifies the replies of mail servers that reject a message (docs/contributing/decisions.md 5): as a permanent failure
 * of the address, a full mailbox, any other permanent failure, or a temporary one, with the wait that the server requests.
 *
 * @module
 */

import { speaksOfPolicy } from "./PolicyWords.ts"

/** A server's reply (RFC 5321, 4.2), its lines joined. */
export interface SmtpReply {
  /** Three digits; 0 when the input is no reply. */
  readonly code: number
  /** The enhanced status code (RFC 3463), such as `5.1.1`; null when there is none. */
  readonly status: string | null
  /** The text after the codes, on one line. */
  readonly text: string
}

/** The step of an SMTP session that a reply belongs to. `Message` is the reply after the message's last byte. */
export type SmtpStage = "Connect" | "Ehlo" | "StartTls" | "Auth" | "Mail" | "Rcpt" | "Data" | "Message"

/**
 * The class of a rejection: `Bounced` permanent for the address, `MailboxFull` permanent for now and never held against
 * the address, `Refused` permanent for the message, its sender or by policy, `Deferred` temporary.
 */
export type RefusalClass = "Bounced" | "MailboxFull" | "Refused" | "Deferred"

/** A classified rejection. */
export interface Refusal {
  readonly class: RefusalClass
  /** The wait that the server requested, milliseconds, at most 24 hours; null when it requested none. */
  readonly retryAfter: number | null
}

/** The longest wait that is read from a reply. */
export const maxRetryAfter = 24 * 3_600_000

/** The most characters of a reply that are read. */
const maxText = 4000

/** The status codes that concern the address itself (docs/contributing/decisions.md 5). */
const addressStatuses: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])

const mailboxFull = "5.2.2"

const statusForm = /^([245])\.(\d{1,3})\.(\d{1,3})$/

/** A status code in canonical form, without leading zeros; null when it is invalid. */
export const parseStatus = (text: string): string | null => {
  const [, severity, subject, detail] = statusForm.exec(text.trim()) ?? []
  return severity === undefined ? null : `${severity}.${Number(subject)}.${Number(detail)}`
}

/** The class of an enhanced status code (RFC 3463) alone; null for one of success and for an invalid one. */
export const classOfStatus = (text: string): RefusalClass | null => {
  const status = parseStatus(text)
  if (status === null || status.startsWith("2.")) return null
  if (status.startsWith("4.")) return "Deferred"
  if (status === mailboxFull) return "MailboxFull"
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

/** Whether a reply is 421: the server closes the connection and accepts no others for now (RFC 5321, 3.8). */
export const closesService = (reply: SmtpReply): boolean => reply.code === 421

/** Classifies a rejection at its stage. The message must have one recipient, so that a code cannot concern another. */
export const classifyReply = (stage: SmtpStage, reply: SmtpReply): Refusal => ({
  class: classOf(stage, reply),
  retryAfter: statedWait(reply.text)
})

/** A rejection of the address, unless the text gives a reason that does not concern it. */
const classOf = (stage: SmtpStage, reply: SmtpReply): RefusalClass => {
  const found = classByCodes(stage, reply)
  return found === "Bounced" && (concernsAccess(reply.code) || speaksOfPolicy(reply.text)) ? "Refused" : found
}

/** Codes of authentication and encryption (RFC 4954, RFC 3207): they concern the client. */
const concernsAccess = (code: number): boolean => code >= 530 && code <= 539

const classByCodes = (stage: SmtpStage, { code, status, text }: SmtpReply): RefusalClass => {
  // A reply that is no rejection at all comes from a faulty server: it may work at another time.
  if (code < 500 || isGreylisting(text)) return "Deferred"
  switch (stage) {
    // RFC 7504: a host that never accepts mail replies 521. Any other reply this early is about the host and the client,
    // not about the message: another host of the domain, or another time, may accept it.
    case "Connect":
      return code === 521 ? "Refused" : "Deferred"
    case "Ehlo":
    case "StartTls":
    case "Auth":
      return "Deferred"
    // Any code at this stage concerns the sender.
    case "Mail":
      return status !== null && status.startsWith("4.") ? "Deferred" : "Refused"
    case "Rcpt":
      return status === null ? classOfBareRcpt(code) : status === "5.5.0" ? "Bounced" : classOfStatus(status)!
    case "Data":
    case "Message":
      return (status === null ? null : classOfStatus(status)) ?? "Refused"
  }
}

/** The class of a rejected recipient without an enhanced code. */
const classOfBareRcpt = (code: number): RefusalClass => {
  // 552 is exceeded storage (RFC 5321, 4.2.3), and formerly too many recipients (4.5.3.1.10): both are temporary.
  if (code === 552) return "Deferred"
  // RFC 7504: 556 is a domain that accepts no mail.
  if (code === 556) return "Bounced"
  return code === 550 || code === 551 || code === 553 ? "Bounced" : "Refused"
}

/** Greylisting that some servers reply with a permanent code. */
const isGreylisting = (text: string): boolean => /\bgr[ae]y-?list/i.test(text)

/** Milliseconds of a unit of time, by its first letter. */
const unitMillis: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

const waitWords =
  /\b(?:again|back|retry|wait|gr[ae]y-?list(?:ed|ing)?|delayed|defer(?:red)?|available|minimum)\b/i

const wait = /\b(\d{1,6}) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/i

const clockWait = /\b(\d{1,2}):([0-5]\d):([0-5]\d)\b/

/** The wait that a reply's text states, milliseconds: `try again in 5 minutes`, `please come back in 00:04:58`, `Greylisted for 300 seconds`. */
const statedWait = (text: string): number | null => {
  const words = waitWords.exec(text)
  if (words === null) return null
  // The number follows closely: one further on is about something else.
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
