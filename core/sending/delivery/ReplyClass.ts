/**
 * Classifies rejections (docs/contributing/decisions.md 5) as a permanent failure of the address, a full mailbox, any other
 * permanent failure, or a temporary failure, with the wait that the server requests.
 *
 * @module
 */
import { speaksOfPolicy } from "../shaping/Answers.ts"
import { parseStatus, type SmtpReply, type SmtpStage, statedWait } from "../shaping/SmtpReply.ts"

/**
 * The class of a rejection: `Bounced` is permanent for the address; `MailboxFull` is permanent for now and does not count
 * against the address; `Refused` is permanent for the message, its sender, or by policy; `Deferred` is temporary.
 */
export type RefusalClass = "Bounced" | "MailboxFull" | "Refused" | "Deferred"

/** A classified rejection. */
export interface Refusal {
  readonly class: RefusalClass
  /** The wait that the server requested, milliseconds, at most 24 hours; null if it requested none. */
  readonly retryAfter: number | null
}

/** The status codes that concern the address itself (docs/contributing/decisions.md 5). */
const addressStatuses: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"])

const mailboxFull = "5.2.2"

/** The class of an enhanced status code (RFC 3463) alone; null for a code of success and for an invalid code. */
export const classOfStatus = (text: string): RefusalClass | null => {
  const status = parseStatus(text)
  if (status === null || status.startsWith("2.")) return null
  if (status.startsWith("4.")) return "Deferred"
  if (status === mailboxFull) return "MailboxFull"
  return addressStatuses.has(status) ? "Bounced" : "Refused"
}

/**
 * Classifies a rejection at a stage of the transaction. The message must have one recipient, so that a code cannot concern
 * another.
 */
export const classifyReply = (stage: SmtpStage, reply: SmtpReply): Refusal => ({
  class: classOf(stage, reply),
  retryAfter: statedWait(reply.text)
})

/** The class of a rejection by its codes, unless its text gives a reason that does not concern the address. */
const classOf = (stage: SmtpStage, reply: SmtpReply): RefusalClass => {
  const found = classByCodes(stage, reply)
  return found === "Bounced" && (concernsAccess(reply.code) || speaksOfPolicy(reply.text)) ? "Refused" : found
}

/** Codes of authentication and encryption (RFC 4954, RFC 3207): they concern the client. */
const concernsAccess = (code: number): boolean => code >= 530 && code <= 539

const classByCodes = (stage: SmtpStage, { code, status, text }: SmtpReply): RefusalClass => {
  // A reply that is no rejection comes from a faulty server, which may work at another time.
  if (code < 500 || isGreylisting(text)) return "Deferred"
  switch (stage) {
    // RFC 7504: a host that never accepts mail replies 521. Any other reply this early concerns the host and the client, not
    // the message. Another host of the domain may accept it, or the same host at another time.
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

/** Some servers reply with a permanent code when they greylist. */
const isGreylisting = (text: string): boolean => /\bgr[ae]y-?list/i.test(text)
