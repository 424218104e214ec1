/**
 * Converts a message that the relay received into a request of the API (docs/contributing/public-api.md "SMTP relay").
 *
 * @module
 */
import { isBlank, type LongText } from "../model/LongText.ts"
import { Result } from "effect"
import { type ContentTypeParameter, mediaTypeOf, writeContentType } from "../sending/emails/ContentType.ts"
import type { AttachmentWrite } from "../sending/emails/EmailAttachments.ts"
import { maxHeaders } from "../sending/emails/EmailHeaders.ts"
import type { EmailRequest } from "../sending/emails/EmailRequest.ts"
import type { ExtraHeader } from "../model/Submission.ts"
import { Issues, Problem } from "../shared/Problem.ts"
import { bodyOf } from "./MailBody.ts"
import { lineOf, type MailAddress, mailboxOf } from "./MailAddress.ts"
import { optionNames, readOptions } from "./OptionHeaders.ts"
import { assignRoles } from "./Roles.ts"

/** A part that is neither the HTML nor the plain text. */
export interface MailPart {
  /** Null if it has none. */
  readonly filename: string | null
  /** As in the message, without parameters. */
  readonly contentType: string
  /** The parameters of the content type, decoded, each once. */
  readonly parameters: ReadonlyArray<ContentTypeParameter>
  /** Without angle brackets, for a part that the HTML refers to; null for any other. */
  readonly contentId: string | null
  readonly content: Uint8Array
}

/** A received message, not validated. */
export interface RelayMail {
  /** The mailboxes of the From header; empty if there is no From header, or more than one. */
  readonly from: ReadonlyArray<MailAddress>
  /** The mailboxes of the To headers, including those in groups; null without a To header. */
  readonly to: ReadonlyArray<MailAddress> | null
  readonly cc: ReadonlyArray<MailAddress>
  readonly replyTo: ReadonlyArray<MailAddress>
  /** The address headers that have a mailbox with several addresses, by the API's names of their fields. */
  readonly ambiguous: ReadonlyArray<"from" | "to" | "cc" | "replyTo">
  /** Decoded; empty without a Subject header. */
  readonly subject: string
  readonly html: LongText | null
  readonly text: LongText | null
  readonly parts: ReadonlyArray<MailPart>
  /**
   * The body of a signed or encrypted message (RFC 1847) as received, including its content header fields; null for any other
   * message.
   */
  readonly entity: Uint8Array | null
  /** The header fields X-*, In-Reply-To and References in order. Their values are unfolded and otherwise unchanged. */
  readonly headers: ReadonlyArray<ExtraHeader>
}

/** A request of the API, with its idempotency key. */
export interface RelayRequest {
  readonly request: EmailRequest
  readonly idempotencyKey: string | null
}

/** The maximum length of a References value that is passed on. */
const maxReferences = 2_000

/**
 * Converts a message to a request. Fails with the codes that `Relay.accept` lists for its sender, recipients and headers.
 *
 * @param envelope the addresses of RCPT TO, without duplicates
 * @param preserveSigned whether a signed or encrypted message keeps its body, so that nothing is tracked or rewritten
 */
export const requestOf = (
  mail: RelayMail,
  envelope: ReadonlyArray<string>,
  preserveSigned = false
): Result.Result<RelayRequest, Problem> => {
  const issues = new Issues()
  const [ambiguous] = mail.ambiguous
  if (ambiguous !== undefined) return Result.fail(Problem.of("validation.email", ambiguous))
  const [sender, ...others] = mail.from
  const from = sender === undefined || others.length > 0 ? null : mailboxOf(sender)
  if (from === null) {
    return Result.fail(
      Problem.of("deliverability.sender_domain_not_verified", "from", null, {
        fix: "The message must have a From header with one address."
      })
    )
  }
  const roles = assignRoles(envelope, mail.to, mail.cc)
  if (roles === null) return Result.fail(Problem.of("validation.required", "to"))
  const options = readOptions(mail.headers, issues)
  const headers = passedHeaders(mail.headers)
  if (headers.length > maxHeaders) {
    issues.add("sending.headers_too_many", "headers", { max: maxHeaders }, { found: String(headers.length) })
  }
  const content: EmailRequest =
    preserveSigned && mail.entity !== null
      ? { entity: mail.entity }
      : {
          html: mail.html === null ? null : bodyOf(mail.html),
          // An empty part counts as none.
          text: mail.text === null || isBlank(mail.text) ? null : bodyOf(mail.text),
          attachments: attachmentsOf(mail.parts)
        }
  const request: EmailRequest = {
    ...roles,
    ...content,
    from,
    replyTo: mail.replyTo.map(mailboxOf).find((mailbox) => mailbox !== null) ?? null,
    subject: lineOf(mail.subject),
    mayBeEmpty: true,
    keepsContent: true,
    headers,
    tags: options.tags,
    metadata: options.metadata,
    tracking: { opens: options.trackOpens, clicks: options.trackClicks }
  }
  return issues.result({ request, idempotencyKey: options.idempotencyKey })
}

/** The extra headers that are passed on, without empty ones. */
const passedHeaders = (headers: ReadonlyArray<ExtraHeader>): ReadonlyArray<ExtraHeader> => {
  const passed: Array<ExtraHeader> = []
  const seen = new Set<string>()
  for (const { name, value: given } of headers) {
    const value = lineOf(given)
    const lower = name.toLowerCase()
    if (value === "" || optionNames.has(lower)) continue
    if (lower === "in-reply-to" || lower === "references") {
      if (seen.has(lower)) continue
      seen.add(lower)
      passed.push({ name, value: lower === "references" ? shortReferences(value) : value })
    } else if (lower.startsWith("x-")) passed.push({ name, value })
  }
  return passed
}

/** Shortens References to the first id of a long conversation and as many of the last as fit (RFC 5322, 3.6.4). */
const shortReferences = (value: string): string => {
  if (value.length <= maxReferences) return value
  const [first = "", ...rest] = value.split(/\s+/)
  const kept: Array<string> = []
  let length = first.length
  for (const id of rest.toReversed()) {
    length += id.length + 1
    if (length > maxReferences) break
    kept.unshift(id)
  }
  return [first, ...kept].join(" ")
}

const contentIdPattern = /^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/
const maxFilename = 255

/** The filename extensions of parts without a name. */
const extensions: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/pgp-signature": "asc",
  "application/pkcs7-signature": "p7s",
  "application/x-pkcs7-signature": "p7s",
  "application/zip": "zip",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "message/rfc822": "eml",
  "text/calendar": "ics",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt"
}

const attachmentsOf = (parts: ReadonlyArray<MailPart>): ReadonlyArray<AttachmentWrite> => {
  const contentIds = new Set<string>()
  return parts.map(({ content, contentId, contentType, filename, parameters }, index) => {
    const type = mediaTypeOf(contentType.trim())
    const isOwn = contentId !== null && contentIdPattern.test(contentId) && !contentIds.has(contentId)
    if (isOwn) contentIds.add(contentId)
    return {
      filename: filenameOf(filename, type, index),
      contentType: type === null ? "application/octet-stream" : writeContentType(type, parameters),
      content,
      ...(isOwn ? { contentId } : {})
    }
  })
}

/** A filename without directory separators, with `.eml` for a message, shortened to the limit with its extension kept. */
const filenameOf = (given: string | null, type: string | null, index: number): string => {
  const cleaned = (given ?? "")
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f-\u009f/\\\u2028\u2029]+/g, "_")
    .trim()
  if (cleaned === "" || cleaned === "." || cleaned === "..") {
    return `attachment-${index + 1}.${extensions[type ?? ""] ?? "bin"}`
  }
  const name = type === "message/rfc822" && !/\.eml$/i.test(cleaned) ? `${cleaned}.eml` : cleaned
  if (name.length <= maxFilename) return name
  const extension = /\.\w{1,10}$/.exec(name)?.[0] ?? ""
  return `${name.slice(0, maxFilename - extension.length - 1).toWellFormed()}${extension}`
}
