/**
 * A transactional email as customers send it, and the check that turns it into a command.
 *
 * Source: public-api "Transactional email", decisions 5.
 *
 * @module
 */
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { type Mailbox, type MailboxWrite, parseMailbox } from "../../shared/Mailbox.ts"
import { type Code, type Issue, issue, Problem } from "../../shared/Problem.ts"
import { isStorable, type Maybe, parseDateTime } from "../../shared/Validate.ts"
import { type AttachmentWrite, checkAttachments } from "./EmailAttachments.ts"
import { checkBody, checkSubject, type EmailText } from "./EmailContent.ts"
import { checkHeaders, type HeadersWrite } from "./EmailHeaders.ts"
import { checkRecipients, type Recipient } from "./EmailRecipients.ts"
import type { Attachment, ExtraHeader, Labels } from "../../model/Submission.ts"

/** The shape of a request, its types checked and nothing else. */
export interface EmailRequest {
  readonly from?: Maybe<MailboxWrite>
  /** One address over HTTP; a relay knows of several. */
  readonly to?: Maybe<MailboxWrite | ReadonlyArray<MailboxWrite>>
  readonly cc?: Maybe<ReadonlyArray<MailboxWrite>>
  readonly bcc?: Maybe<ReadonlyArray<MailboxWrite>>
  readonly replyTo?: Maybe<MailboxWrite>
  readonly subject?: Maybe<string>
  readonly html?: Maybe<string>
  readonly text?: Maybe<string>
  /** Whether html and text may both be missing: a message a mail program sends can be all attachment. */
  readonly mayBeEmpty?: boolean
  readonly templateId?: Maybe<string>
  readonly variables?: Maybe<TemplateValues>
  readonly attachments?: Maybe<ReadonlyArray<AttachmentWrite>>
  readonly headers?: Maybe<HeadersWrite>
  readonly sendAt?: Maybe<string>
  readonly idempotencyKey?: Maybe<string>
  readonly tags?: Maybe<Labels>
  readonly metadata?: Maybe<Labels>
  readonly tracking?: Maybe<{ readonly opens?: Maybe<boolean>; readonly clicks?: Maybe<boolean> }>
}

/** What an email says: its own content, or a template to be rendered. */
export type EmailBody =
  | ({ readonly _tag: "Content" } & EmailText)
  | { readonly _tag: "Template"; readonly id: string; readonly variables: TemplateValues }

/** A request that is valid in itself. */
export interface EmailCommand {
  /** Null for the account's default sender. */
  readonly from: Mailbox | null
  /** Each address once, in the order given: To, Cc, Bcc. */
  readonly recipients: ReadonlyArray<Recipient>
  readonly replyTo: Mailbox | null
  readonly body: EmailBody
  readonly attachments: ReadonlyArray<Attachment>
  readonly headers: ReadonlyArray<ExtraHeader>
  /** As asked for, also when it is past: epoch milliseconds; null for at once. */
  readonly sendAt: number | null
  readonly idempotencyKey: string | null
  readonly tags: Labels
  readonly metadata: Labels
  readonly trackOpens: boolean | null
  readonly trackClicks: boolean | null
}

/** How many days ahead an email can be scheduled. */
export const maxDaysAhead = 30

const dayMillis = 86_400_000
/** The most tags, and the most entries of metadata. */
export const maxLabels = 20
/** The most characters of a value of theirs. */
export const maxLabelValue = 256
const labelName = /^[A-Za-z0-9_.-]{1,64}$/
/** An idempotency key: 1 to 150 visible ASCII characters (public-api, Transactional email 3). */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,150}$/
/** The most characters of a template's variables, as compact JSON. */
const maxVariables = 100_000

/**
 * Checks a request. `headerKey` is the Idempotency-Key header, null when absent; `now` is in epoch milliseconds.
 * Answers the command, or every issue found.
 */
export const checkEmailRequest = (
  request: EmailRequest,
  headerKey: string | null,
  now: number
): EmailCommand | Problem => {
  const issues: Array<Issue> = []
  const recipients = checkRecipients(request, issues)
  const command = {
    recipients,
    from: checkMailbox(request.from, "from", issues),
    replyTo: checkMailbox(request.replyTo, "replyTo", issues),
    idempotencyKey: checkIdempotencyKey(request.idempotencyKey ?? null, headerKey, issues),
    body: request.templateId == null ? checkContent(request, issues) : checkTemplate(request, issues),
    attachments: checkAttachments(request.attachments, issues),
    headers: checkHeaders(request.headers, issues),
    sendAt: checkSendAt(request.sendAt, now, issues),
    tags: checkLabels(request.tags, "tags", "sending.tags_invalid", issues),
    metadata: checkLabels(request.metadata, "metadata", "sending.metadata_invalid", issues),
    trackOpens: request.tracking?.opens ?? null,
    trackClicks: request.tracking?.clicks ?? null
  }
  return Problem.from(issues) ?? command
}

const checkMailbox = (
  write: Maybe<MailboxWrite>,
  field: "from" | "replyTo",
  issues: Array<Issue>
): Mailbox | null => {
  if (write == null) return null
  const mailbox = parseMailbox(write)
  if (mailbox === null) issues.push(issue("validation.email", field))
  return mailbox
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

const checkContent = (request: EmailRequest, issues: Array<Issue>): EmailBody => {
  const subject = checkSubject(request.subject, issues)
  const html = checkBody(request.html, "html", issues)
  const text = checkBody(request.text, "text", issues)
  if (request.subject != null && html === null && text === null && request.mayBeEmpty !== true) {
    issues.push(issue("sending.content_required", "html"))
  }
  if (Object.keys(request.variables ?? {}).length > 0) {
    issues.push(issue("sending.content_ambiguous", "variables"))
  }
  return { _tag: "Content", subject, html, text }
}

/** A template says all of it: a subject or body beside it would be one of two things, and nobody could tell which. */
const checkTemplate = (request: EmailRequest, issues: Array<Issue>): EmailBody => {
  const id = (request.templateId ?? "").trim().toLowerCase()
  if (!isUuid(id)) issues.push(issue("sending.template_not_found", "templateId"))
  for (const field of ["subject", "html", "text"] as const) {
    if ((request[field] ?? "").trim() !== "") issues.push(issue("sending.content_ambiguous", field))
  }
  const variables = request.variables ?? {}
  if (sizeOf(variables) > maxVariables) {
    issues.push(issue("sending.variables_invalid", "variables", { max: maxVariables }))
  }
  return { _tag: "Template", id, variables }
}

/** The characters of a value's JSON; infinite for one that nests too deeply to be written. */
const sizeOf = (value: TemplateValues): number => {
  try {
    return JSON.stringify(value).length
  } catch {
    return Infinity
  }
}

const checkSendAt = (value: Maybe<string>, now: number, issues: Array<Issue>): number | null => {
  if (value == null) return null
  const at = parseDateTime(value)
  if (at === null) issues.push(issue("validation.format", "sendAt"))
  else if (at > now + maxDaysAhead * dayMillis) {
    issues.push(issue("sending.send_at_too_far", "sendAt", { maxDays: maxDaysAhead }))
  }
  return at
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
