/**
 * Parses the report in a message from a receiving server: delivery status notifications (RFC 3464), the formats that some mail
 * servers send instead, and complaints (RFC 5965). Pure and total. Whether the report is authentic is decided elsewhere.
 *
 * @module
 */
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { headerOf, type HeaderFields, type MimeMessage, type MimePart, readFields } from "./MimeReader.ts"
import { classifyReply, classOfStatus, type RefusalClass } from "../delivery/ReplyClass.ts"
import { namesBlockList, speaksOfPolicy } from "../shaping/Answers.ts"
import { parseReply, parseStatus } from "../shaping/SmtpReply.ts"
import { readTextReport } from "./TextReport.ts"

/**
 * The result for one recipient. `Delayed` stands for every result that is not final: the server is still trying, or has
 * relayed the message and has no further information.
 */
export interface RecipientReport {
  /** Lower case; null if the report does not state it. */
  readonly recipient: string | null
  /** The address before aliases were expanded, lower case; null if the report does not state it. */
  readonly original: string | null
  readonly outcome: RefusalClass | "Delivered" | "Delayed"
  /** Status and diagnostic on one line, at most 300 characters; null if there is neither. */
  readonly reason: string | null
}

/** A quoted message. */
export interface MessageCopy {
  /** Without angle brackets. The copy has only this one. */
  readonly messageId: string
  /** The header of the message, with LF as line ends. */
  readonly header: string
}

/** The report in a message; `Other` if there is none, as in an automatic reply. */
export type Report =
  | { readonly _tag: "Delivery"; readonly recipients: ReadonlyArray<RecipientReport> }
  | {
      readonly _tag: "Complaint"
      /** The kind of complaint: `abuse`, `opt-out`. */
      readonly kind: string
      /** The return paths of the message complained about. They are not proven. */
      readonly returnPaths: ReadonlyArray<string>
      /** Copies of the message complained about. They are not proven. */
      readonly copies: ReadonlyArray<MessageCopy>
    }
  | { readonly _tag: "Other" }

/** The maximum numbers of recipients, return paths and copies that are read. */
const maxRecipients = 100
const maxNames = 20
const maxCopies = 5
const maxReason = 300

/** The kinds of feedback from a person who does not want the email. Not-spam and authentication reports are not among them. */
const complaintKinds: ReadonlySet<string> = new Set(["abuse", "opt-out", "opt-out-list"])

/** Reads the report of a message. */
export const readReport = (message: MimeMessage): Report => {
  const complaint = readComplaint(message)
  if (complaint !== null) return complaint
  const status = message.parts.filter(({ mediaType }) => statusTypes.has(mediaType))
  const recipients = status.flatMap((part) => readStatus(part, message)).slice(0, maxRecipients)
  if (recipients.length > 0) return { _tag: "Delivery", recipients }
  const text = readTextReport(message)
  if (text === null) return { _tag: "Other" }
  const { detail, recipient } = text
  return {
    _tag: "Delivery",
    recipients: [
      {
        recipient,
        original: null,
        outcome: classOfFailure(null, detail, detail),
        reason: reasonOf(null, detail)
      }
    ]
  }
}

/** The media types of RFC 3464, and of RFC 6533 for addresses that are not ASCII. */
const statusTypes: ReadonlySet<string> = new Set([
  "message/delivery-status",
  "message/global-delivery-status"
])

const readStatus = (part: MimePart, message: MimeMessage): ReadonlyArray<RecipientReport> => {
  // Only the text for people states which SMTP command was rejected.
  const words = message.parts.find(({ mediaType }) => mediaType === "text/plain")?.text.slice(0, 8_192) ?? ""
  return part.text
    .split(/\n[ \t]*\n\s*/, 2 * maxRecipients)
    .map(readFields)
    .filter((fields) => fields.has("action") || fields.has("final-recipient"))
    .map((fields) => recipientReport(fields, words))
}

const recipientReport = (fields: HeaderFields, words: string): RecipientReport => {
  const said = headerOf(fields, "status")
  const status = parseStatus(/[245]\.\d{1,3}\.\d{1,3}/.exec(said ?? "")?.[0] ?? "")
  const diagnostic = withoutType(headerOf(fields, "diagnostic-code"))
  return {
    recipient: addressOf(headerOf(fields, "final-recipient")),
    original: addressOf(headerOf(fields, "original-recipient")),
    outcome: outcomeOf(actionOf(fields, status), status, diagnostic, words),
    reason: reasonOf(status, diagnostic)
  }
}

const actionOf = (fields: HeaderFields, status: string | null): string => {
  const action = /[a-z]+/i.exec(headerOf(fields, "action") ?? "")?.[0]
  if (action !== undefined) return action.toLowerCase()
  if (status === null || status.startsWith("4.")) return "delayed"
  return status.startsWith("2.") ? "delivered" : "failed"
}

const outcomeOf = (
  action: string,
  status: string | null,
  diagnostic: string | null,
  words: string
): RecipientReport["outcome"] => {
  switch (action) {
    case "failed":
      return classOfFailure(status, diagnostic ?? "", words)
    // A mailing list's server accepted the message (RFC 3464, 2.3.3). Delivery to its members is not the service's concern.
    case "delivered":
    case "expanded":
      return "Delivered"
    default:
      return "Delayed"
  }
}

/** Statuses that state a failure without its cause. */
const isUnspecific = (status: string): boolean => /^[245]\.(?:0\.0|5\.0)$/.test(status)

const specific = (status: string | null): string | null =>
  status === null || isUnspecific(status) ? null : status

/** Phrases of servers that give no code, or an unspecific one. */
const unknownPerson =
  /\b(?:user unknown|unknown user|no such (?:user|person|mailbox|recipient|address)|no mailbox here by that name|unrouteable address|not listed in (?:public name|domino directory)|recipient(?:'s)? (?:name|address|email address) (?:is|was)(?: not|n't) (?:recognized|found)|(?:user|mailbox|account|address) (?:does(?: not|n't) exist|not found)|does(?: not|n't) have an? \S{1,80} account|invalid (?:recipient|mailbox)|unknown recipient|bad destination mailbox)/i

const usedUp =
  /\b(?:retry time(?:out)? (?:exceeded|not reached)|(?:delivery time|message) expired|been in the queue too long|retries? (?:exceeded|exhausted)|i'm not going to try again)\b/i

/**
 * The class of a failure. The code of the server that rejected the message takes precedence over that of the server that
 * reports it. A rejection by policy never counts as a bounce of the address, whether it shows in the code, in the diagnostic,
 * or by a block list named in the text for people.
 */
const classOfFailure = (status: string | null, diagnostic: string, words: string): RefusalClass => {
  const found = classByCodes(status, diagnostic, words)
  return found === "Bounced" && (speaksOfPolicy(diagnostic) || namesBlockList(words)) ? "Refused" : found
}

const classByCodes = (status: string | null, diagnostic: string, words: string): RefusalClass => {
  const reply = parseReply(diagnostic)
  const quoted = specific(reply.status ?? statusIn(diagnostic))
  const stated = specific(status)
  if (stated !== null && stated.startsWith("5.7.")) return "Refused"
  const byStatus = classOfStatus(quoted ?? stated ?? "")
  if (byStatus !== null) return byStatus
  const code = reply.code === 0 ? codeIn(diagnostic) : reply.code
  const text = `${diagnostic} ${words}`
  if (usedUp.test(text) || status?.startsWith("4.") === true) return "Deferred"
  const ofPerson = /\bRCPT[ _]TO\b/i.test(text) || unknownPerson.test(text)
  if (code === 0)
    return ofPerson ? classifyReply("Rcpt", { code: 550, status: null, text: diagnostic }).class : "Refused"
  const bare = { code, status: reply.status === "5.5.0" ? "5.5.0" : null, text: diagnostic }
  return classifyReply(ofPerson ? "Rcpt" : "Message", bare).class
}

/** An enhanced status code in a string. It must not be part of an IP address or a version. */
const statusIn = (text: string): string | null =>
  parseStatus(/(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0] ?? "")

const codeIn = (text: string): number => Number(/(?<![\d.])[45][0-5]\d(?=[ -])/.exec(text)?.[0] ?? 0)

/** The address in a field such as `rfc822; jane@example.com`. */
const addressOf = (value: string | null): string | null => {
  const address = withoutType(value)?.replaceAll(/^<|>$/g, "")
  return address === undefined || !address.includes("@") ? null : comparableAddress(address).slice(0, 320)
}

const withoutType = (value: string | null): string | null =>
  value === null ? null : value.replace(/^[ \t]*[\w.-]{1,40}[ \t]*;/, "").trim()

/** The reason on one line, for people and for customers' logs. */
const reasonOf = (status: string | null, detail: string | null): string | null => {
  const said = oneLine(detail ?? "")
  const text = status === null || said.includes(status) ? said : `${status} ${said}`.trim()
  return text === "" ? null : text.slice(0, maxReason).toWellFormed()
}

const oneLine = (text: string): string =>
  text
    .slice(0, 4 * maxReason)
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .trim()

const readComplaint = ({ headers, parts }: MimeMessage): Report | null => {
  const copies = parts.filter(({ mediaType }) => copyTypes.has(mediaType))
  const feedback = parts.find(({ mediaType }) => mediaType === "message/feedback-report")
  const fields = feedback === undefined ? null : readFields(feedback.text.trimStart())
  // Complaints of Outlook.com have no report part. A header of the quoted message names the recipient.
  const kind =
    fields === null
      ? copies.some((copy) => readFields(copy.text).has("x-hmxmroriginalrecipient")) ||
        headers.has("x-hmxmroriginalrecipient")
        ? "abuse"
        : null
      : (/^[\w-]{1,40}/.exec(headerOf(fields, "feedback-type") ?? "")?.[0].toLowerCase() ?? "")
  if (kind === null) return null
  if (!complaintKinds.has(kind)) return { _tag: "Other" }
  const quoted = copies.map(({ text }) => headerIn(text.trimStart()))
  const paths = quoted.flatMap((header) => valuesOf(readFields(header), "return-path"))
  if (fields !== null) paths.push(...valuesOf(fields, "original-mail-from"))
  return {
    _tag: "Complaint",
    kind,
    returnPaths: [...new Set(paths)].slice(0, maxNames),
    copies: quoted.flatMap((header) => copyOf(header)).slice(0, maxCopies)
  }
}

/** The types of parts that quote the message complained about, completely or only its headers (RFC 5965, 2; RFC 6522, 4). */
const copyTypes: ReadonlySet<string> = new Set([
  "message/rfc822",
  "message/global",
  "message/rfc822-headers",
  "message/global-headers",
  "text/rfc822-headers",
  "text/rfc822-header"
])

const headerIn = (text: string): string => {
  const end = text.indexOf("\n\n")
  return end === -1 ? text : text.slice(0, end)
}

/**
 * Returns the copy if it has one Message-ID. A signature covers only one, so a copy with several could name another delivery
 * than the one that was signed.
 */
const copyOf = (header: string): ReadonlyArray<MessageCopy> => {
  const [messageId, ...others] = valuesOf(readFields(header), "message-id")
  return messageId === undefined || others.length > 0 ? [] : [{ messageId, header }]
}

const valuesOf = (fields: HeaderFields, name: string): ReadonlyArray<string> =>
  (fields.get(name) ?? [])
    .map((value) => value.replaceAll(/[<>\s]/g, "").slice(0, 320))
    .filter((value) => value !== "")
