/**
 * Reports written for people alone: what Exim, qmail, Exchange and others send or sent in place of RFC 3464. Only
 * their own wordings count, so that an automatic answer of a person is never taken for one.
 *
 * @module
 */
import { headerOf, type MimeMessage } from "./MimeReader.ts"

/** A failure told in words. */
export interface TextReport {
  /** Lower case; null when it is not clear. */
  readonly recipient: string | null
  /** What the report says of it, without the message it returns. */
  readonly detail: string
}

/** As much of a text is looked at: the message that is returned comes after. */
const lookedAt = 8_192

/** Phrases that begin the list of those not reached, by who writes them. */
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
  // Postfix, and what calls itself by its words
  /your message could not be delivered to one or more recipients\./i
]

/** Where the message that is returned begins. */
const returned =
  /-- ?(?:below this line is a copy|this is a copy of|the body of|original message|forwarded message|message header|returned message)|original message (?:follows|headers)|^received: from /im

/** Told of while the server still tries. */
const unfinished =
  /warning message only|do not need to resend|will (?:continue|keep) (?:to try|trying)|delivery .{0,40}(?:has been|is) delayed|not yet been delivered|no action is required/i

/** The names mail systems write reports under. */
const daemons =
  /^(?:mailer-daemon|mailerdaemon|mail-daemon|postmaster|mailadmin|microsoftexchange[0-9a-f]*|system administrator|mail delivery (?:system|subsystem))\b/i

/** Reads a failure told in words; null when the message tells none. */
export const readTextReport = ({ headers, parts }: MimeMessage): TextReport | null => {
  const from = (headerOf(headers, "from") ?? "").slice(0, 500)
  const failed = headerOf(headers, "x-failed-recipients")
  if (failed === null && !isDaemon(from)) return null
  const part = parts.find(({ mediaType }) => mediaType === "text/plain") ?? parts.find(isHtml)
  if (part === undefined) return null
  const text = (isHtml(part) ? withoutTags(part.text) : part.text).slice(0, lookedAt)
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

/** The words of html, for what has no other text. */
const withoutTags = (html: string): string =>
  html
    .slice(0, 8 * lookedAt)
    .replaceAll(/<[^<>]{0,2000}>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const firstAddress = (text: string): string | null =>
  /[^\s<>"(),:;@]{1,64}@[^\s<>"(),:;@]{1,255}/
    .exec(text.slice(0, 1_000))?.[0]
    .replace(/(?<!\.)\.+$/, "")
    .toLowerCase() ?? null
