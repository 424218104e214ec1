/**
 * Decides what a failure that a provider reports means, by the rules of mail servers' own reports: only words and codes
 * about the address bounce it, whatever a provider calls it, and a policy never does (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { RelayFailure } from "../../model/RelayReport.ts"
import { classifyReply, classOfStatus, type RefusalClass } from "../delivery/ReplyClass.ts"
import { speaksOfPolicy } from "../shaping/Answers.ts"
import { parseStatus } from "../shaping/SmtpReply.ts"

/**
 * What the provider says has failed: the address, its mailbox for now, all attempts, the message or its sender, or nothing
 * that it knows.
 */
export type Cause = "Address" | "Mailbox" | "Temporary" | "Message" | "Undetermined"

/** What a failure means. */
export interface Failure {
  readonly kind: "Bounced" | "Failed"
  readonly failure: RelayFailure | null
  /** The enhanced code, or the code of the reply; null where neither is stated. */
  readonly code: string | null
}

/** The codes of a failure, as the provider states them beside the text. */
export interface StatedCodes {
  /** The enhanced code. */
  readonly status?: string | null
  /** The code of the reply. */
  readonly code?: string | null
}

/** What a failure means. `text` is the recipient's server's or the provider's own. */
export const failureOf = (cause: Cause, text: string | null, stated: StatedCodes = {}): Failure => {
  const words = text ?? ""
  const status = specific(statusIn(words)) ?? specific(parseStatus(stated.status ?? ""))
  const reply = codeIn(words) ?? codeIn(stated.code ?? "")
  const found = classOf(cause, words, status, reply)
  const code = status ?? (reply === null ? parseStatus(stated.status ?? "") : String(reply))
  return found === "Bounced"
    ? { kind: "Bounced", failure: null, code }
    : { kind: "Failed", failure: found, code }
}

const classOf = (cause: Cause, words: string, status: string | null, reply: number | null): RefusalClass => {
  const byStatus = classOfStatus(status ?? "")
  if (byStatus === "MailboxFull" && cause !== "Message") return "MailboxFull"
  switch (cause) {
    case "Mailbox":
      return "MailboxFull"
    case "Temporary":
      return "Deferred"
    case "Message":
      return "Refused"
    case "Address":
    case "Undetermined": {
      if (speaksOfPolicy(words)) return "Refused"
      // Without a code about the recipient the provider's own word counts: 500 to 504 are about commands (RFC 5321, 4.2.3).
      if (status === null && (reply === null || (reply >= 500 && reply <= 504)))
        return cause === "Address" ? "Bounced" : "Refused"
      const stage = cause === "Address" ? "Rcpt" : "Message"
      return classifyReply(stage, { code: reply ?? codeOfStatus(status), status, text: words }).class
    }
  }
}

const codeOfStatus = (status: string | null): number => (status?.startsWith("4.") === true ? 450 : 550)

/** Codes that state a failure without its cause. */
const specific = (status: string | null): string | null =>
  status === null || /^[245]\.(?:0\.0|5\.0)$/.test(status) ? null : status

/** An enhanced code in a text, which is not part of an IP address or a version. */
export const statusIn = (text: string): string | null =>
  parseStatus(/(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0] ?? "")

/** The code of a reply in a text: `550 `, `550-5.1.1`, `smtp; 550`. */
const codeIn = (text: string): number | null => {
  const found = /(?<![\d.])[45][0-5]\d(?=[ -]|$)/.exec(text)?.[0]
  return found === undefined ? null : Number(found)
}

/** The code of a reply or report that is no failure; null for none. */
export const codeOf = (text: string | null, stated: StatedCodes = {}): string | null => {
  const status = statusIn(text ?? "") ?? parseStatus(stated.status ?? "")
  if (status !== null) return status
  return (
    /^[245][0-5]\d(?=[ -]|$)/.exec(text ?? "")?.[0] ?? /^[245][0-5]\d$/.exec(stated.code ?? "")?.[0] ?? null
  )
}
