/**
 * Parses bounces that are written only for people: what Exim, qmail, Exchange and others send, or used to send, instead of RFC
 * 3464. Only the servers' own phrases count, so that a person's automatic reply is never taken for a bounce.
 *
 * @module
 */
import { comparableAddress } from "../../shared/EmailAddress.ts"
import { headerOf, type MimeMessage } from "./MimeReader.ts"

/** A failure described in text. */
export interface TextReport {
  /** Lower case; null if it is not clear. */
  readonly recipient: string | null
  /** The description of the failure, without the returned message. */
  readonly detail: string
}

/** The maximum number of characters that are read of the text. The returned message follows. */
const maxRead = 8_192

/** Phrases that precede the list of failed recipients, by mail server. */
const failures: ReadonlyArray<RegExp> = [
  // Exim
  /could not be delivered to (?:one or more of its recipients|all of its recipients|any of its recipients)\. .{0,200}?(?:the following address(?:\(es\)|es)? failed|this is a permanent error)/i,
  // qmail (QSBMF)
  /this is a permanent error; i've given up\./i,
  // Exchange 5.5, 2003
  /did not reach the following recipient\(s\):|delivery to the following recipients? failed\./i,
  // Exchange 2007 and later
  /delivery has failed to these recipients or (?:groups|distribution lists):/i,
  // Gmail, before it sent notifications
  /delivery to the following recipients? failed permanently:/i,
  // Yahoo
  /unable to deliver message to the following address\(es\)\./i,
  // Sendmail
  /the following addresses had permanent (?:fatal errors|delivery errors)/i,
  // Lotus Domino
  /was not delivered to: .{1,400}? because:/i,
  // Postfix, and servers that use its text
  /your message could not be delivered to one or more recipients\./i
]

/** The beginning of the returned message. */
const returned =
  /-- ?(?:below this line is a copy|this is a copy of|the body of|original message|forwarded message|message header|returned message)|original message (?:follows|headers)|^received: from /im

/** Phrases of warnings that are sent while the server is still trying. */
const unfinished =
  /warning message only|do not need to resend|will (?:continue|keep) (?:to try|trying)|delivery .{0,40}(?:has been|is) delayed|not yet been delivered|no action is required/i

/** The names and local parts of mail systems that send reports. */
const daemons =
  /^(?:mailer-daemon|mailerdaemon|mail-daemon|postmaster|mailadmin|microsoftexchange[0-9a-f]*|system administrator|mail delivery (?:system|subsystem))\b/i

/** Parses a failure described in text; null if the message describes none. */
export const readTextReport = ({ headers, parts }: MimeMessage): TextReport | null => {
  const from = (headerOf(headers, "from") ?? "").slice(0, 500)
  const failed = headerOf(headers, "x-failed-recipients")
  if (failed === null && !isDaemon(from)) return null
  const part = parts.find(({ mediaType }) => mediaType === "text/plain") ?? parts.find(isHtml)
  if (part === undefined) return null
  const text = (isHtml(part) ? withoutTags(part.text) : part.text).slice(0, maxRead)
  const end = returned.exec(text)?.index ?? text.length
  const said = text.slice(0, end).replaceAll(/\s+/g, " ").trim()
  if (unfinished.test(said)) return null
  const start = failures.map((phrase) => phrase.exec(said)).find((found) => found !== null)
  if (start === undefined) return null
  const detail = said.slice(start.index + start[0].length).trim()
  return { recipient: firstAddress(failed ?? detail), detail }
}

const isHtml = (part: { readonly mediaType: string }): boolean => part.mediaType === "text/html"

const isDaemon = (from: string): boolean => {
  const address = /([^\s<>"@]{1,64})@[^\s<>"@]{1,255}>?\s*$/.exec(from)?.[1] ?? from
  return daemons.test(address) || daemons.test(from.replace(/^["\s]+/, ""))
}

/** The text of html, for a message without a plain-text part. */
const withoutTags = (html: string): string =>
  html
    .slice(0, 8 * maxRead)
    .replaceAll(/<[^<>]{0,2000}>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const firstAddress = (text: string): string | null => {
  const found = /[^\s<>"(),:;@]{1,64}@[^\s<>"(),:;@]{1,255}/.exec(text.slice(0, 1_000))?.[0]
  return found === undefined ? null : comparableAddress(found.replace(/(?<!\.)\.+$/, ""))
}
