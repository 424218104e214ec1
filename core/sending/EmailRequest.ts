/**
 * A transactional email as customers send it, and the check that turns it into a command.
 *
 * Source: public-api "Transactional email", decisions 5.
 *
 * @module
 */
import { type Mailbox, type MailboxWrite, parseMailbox } from "../shared/Mailbox.ts"
import { type Code, type Issue, issue, Problem } from "../shared/Problem.ts"
import { checkText, isStorable, type Maybe } from "../shared/Validate.ts"
import type { Labels } from "./Submission.ts"

/** Fields that mean something but are not acted on yet: an email without them would be another than the one meant. */
const unsupportedFields = [
  "cc",
  "bcc",
  "from",
  "replyTo",
  "templateId",
  "variables",
  "sendAt",
  "attachments",
  "headers"
] as const

/** The shape of a request, its types checked and nothing else. */
export interface EmailRequest extends Partial<Record<(typeof unsupportedFields)[number], unknown>> {
  readonly to?: Maybe<MailboxWrite>
  readonly subject?: Maybe<string>
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
  readonly idempotencyKey?: Maybe<string>
  readonly tags?: Maybe<Labels>
  readonly metadata?: Maybe<Labels>
  readonly tracking?: Maybe<{ readonly opens?: Maybe<boolean>; readonly clicks?: Maybe<boolean> }>
}

/** A request that is valid in itself. */
export interface EmailCommand {
  readonly to: Mailbox
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly idempotencyKey: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
}

/** The most characters of a subject. */
export const maxSubject = 300
/** The most characters of html, and of text. */
export const maxBody = 500_000

const maxLabels = 20
const maxLabelValue = 256
const labelName = /^[A-Za-z0-9_.-]{1,64}$/
const idempotencyKeyPattern = /^[\x21-\x7e]{1,150}$/
/** Control characters no mail client shows; tab, line feed and carriage return are text. */
const bodyControls = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const lineBreaks = /[\u0000-\u001f\u007f]/

/**
 * Checks a request. `headerKey` is the Idempotency-Key header, null when absent. Answers the command, or every issue
 * found.
 */
export const checkEmailRequest = (
  request: EmailRequest,
  headerKey: string | null
): EmailCommand | Problem => {
  const issues: Array<Issue> = []
  const to = request.to == null ? null : parseMailbox(request.to)
  if (request.to == null) issues.push(issue("validation.required", "to"))
  else if (to === null) issues.push(issue("validation.email", "to"))
  const idempotencyKey = checkIdempotencyKey(request.idempotencyKey ?? null, headerKey, issues)
  const subject = checkSubject(request.subject, issues)
  const html = checkBody(request.html, "html", issues)
  const text = checkBody(request.text, "text", issues)
  if (request.subject != null && html === null && text === null)
    issues.push(issue("sending.content_required", "html"))
  for (const field of unsupportedFields) {
    if (request[field] != null) issues.push(issue("sending.field_unsupported", field))
  }
  const tags = checkLabels(request.tags, "tags", "sending.tags_invalid", issues)
  const metadata = checkLabels(request.metadata, "metadata", "sending.metadata_invalid", issues)
  const problem = Problem.from(issues)
  if (problem !== undefined || to === null) return problem ?? Problem.of("validation.required", "to")
  return {
    to,
    subject,
    html,
    text,
    idempotencyKey,
    tags,
    metadata,
    trackOpens: request.tracking?.opens ?? null,
    trackClicks: request.tracking?.clicks ?? null
  }
}

/** An idempotency key is 1 to 150 visible ASCII characters, in the header or the body (public-api rule 3). */
const checkIdempotencyKey = (
  bodyKey: string | null,
  headerKey: string | null,
  issues: Array<Issue>
): string | null => {
  for (const key of [bodyKey, headerKey]) {
    if (key !== null && !idempotencyKeyPattern.test(key)) {
      issues.push(issue("sending.idempotency_key_invalid", "idempotencyKey"))
      return null
    }
  }
  if (bodyKey !== null && headerKey !== null && bodyKey !== headerKey) {
    issues.push(issue("sending.idempotency_key_mismatch", "idempotencyKey"))
  }
  return bodyKey ?? headerKey
}

const checkSubject = (value: Maybe<string>, issues: Array<Issue>): string => {
  if (value == null) {
    issues.push(issue("sending.content_required", "subject"))
    return ""
  }
  const subject = checkText(value, "subject", maxSubject, issues)
  if (subject === "") issues.push(issue("validation.required", "subject"))
  // A line break would end the header it becomes; other controls are never shown.
  else if (lineBreaks.test(subject) && isStorable(subject)) issues.push(issue("validation.format", "subject"))
  return subject
}

/** Html and text are kept as sent, not trimmed: white space can be meant. */
const checkBody = (value: Maybe<string>, field: "html" | "text", issues: Array<Issue>): string | null => {
  if (value == null || value.trim() === "") return null
  if (!isStorable(value) || bodyControls.test(value)) issues.push(issue("validation.format", field))
  else if (value.length > maxBody) issues.push(issue("validation.max_length", field, { max: maxBody }))
  return value
}

const checkLabels = (value: Maybe<Labels>, field: string, code: Code, issues: Array<Issue>): Labels => {
  const entries = Object.entries(value ?? {})
  const valid = ([name, text]: [string, string]) =>
    labelName.test(name) && text.length <= maxLabelValue && isStorable(text)
  if (entries.length > maxLabels) issues.push(issue(code, field, { max: maxLabels }))
  else {
    const wrong = entries.find((entry) => !valid(entry))
    if (wrong !== undefined)
      issues.push(issue(code, labelName.test(wrong[0]) ? `${field}.${wrong[0]}` : field))
  }
  return Object.fromEntries(entries)
}
