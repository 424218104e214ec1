/**
 * Decides the meaning of a failure that a provider reports, by the rules for mail servers' own reports. Only text and codes
 * about the address bounce it, whatever the provider calls the failure, and a policy never does
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { RelayFailure } from "../../model/RelayReport.ts"
import { classifyReply, classOfStatus, type RefusalClass } from "../delivery/ReplyClass.ts"
import { speaksOfPolicy } from "../shaping/Answers.ts"
import { parseStatus } from "../shaping/SmtpReply.ts"

/**
 * The provider's own statement of what has failed: the address, its mailbox for now, all attempts, the message or its sender,
 * or nothing that the provider can tell.
 */
export type Cause = "Address" | "Mailbox" | "Temporary" | "Message" | "Undetermined"

/** The meaning of a failure. */
export interface Failure {
  readonly kind: "Bounced" | "Failed"
  readonly failure: RelayFailure | null
  /** The enhanced code, or the code of the reply; null if neither is stated. */
  readonly code: string | null
}

/** The codes of a failure that the provider states separately from the text. */
export interface StatedCodes {
  /** The enhanced code. */
  readonly status?: string | null
  /** The code of the reply. */
  readonly code?: string | null
}

/** Returns the meaning of a failure. `text` is that of the recipient's server, or the provider's own. */
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
      // Without a code about the recipient, the provider's own classification counts: 500 to 504 concern commands (RFC 5321,
      // 4.2.3).
      if (status === null && (reply === null || (reply >= 500 && reply <= 504)))
        return cause === "Address" ? "Bounced" : "Refused"
      const stage = cause === "Address" ? "Rcpt" : "Message"
      return classifyReply(stage, { code: reply ?? codeOfStatus(status), status, text: words }).class
    }
  }
}

const codeOfStatus = (status: string | null): number => (status?.startsWith("4.") === true ? 450 : 550)

/** The code, unless it states a failure without a cause. */
const specific = (status: string | null): string | null =>
  status === null || /^[245]\.(?:0\.0|5\.0)$/.test(status) ? null : status

/** An enhanced code in a text. It must not be part of an IP address or a version. */
export const statusIn = (text: string): string | null =>
  parseStatus(/(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0] ?? "")

/** The code of a reply in a text: `550 `, `550-5.1.1`, `smtp; 550`. */
const codeIn = (text: string): number | null => {
  const found = /(?<![\d.])[45][0-5]\d(?=[ -]|$)/.exec(text)?.[0]
  return found === undefined ? null : Number(found)
}

/** The code of a reply or report that is not a failure; null if there is none. */
export const codeOf = (text: string | null, stated: StatedCodes = {}): string | null => {
  const status = statusIn(text ?? "") ?? parseStatus(stated.status ?? "")
  if (status !== null) return status
  return (
    /^[245][0-5]\d(?=[ -]|$)/.exec(text ?? "")?.[0] ?? /^[245][0-5]\d$/.exec(stated.code ?? "")?.[0] ?? null
  )
}
