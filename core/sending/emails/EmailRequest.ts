/**
 * Parses a transactional email, as submitted, into a command (docs/contributing/public-api.md "Transactional email",
 * docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { Result } from "effect"
import type { TemplateValues } from "../../ports/TemplateEngine.ts"
import { withoutLoss } from "../../shared/Decimal.ts"
import { isUuid } from "../../shared/Uuid.ts"
import { isBlank, type LongText } from "../../model/LongText.ts"
import { type Mailbox, type MailboxWrite, parseMailbox } from "../../shared/Mailbox.ts"
import { type Code, Issues, type Problem } from "../../shared/Problem.ts"
import { isStorable, type Maybe, parseDateTime, formats } from "../../shared/Validate.ts"
import { type AttachmentWrite, checkAttachments } from "./EmailAttachments.ts"
import { checkBody, checkSubject, type EmailText, textBeside } from "./EmailContent.ts"
import { checkHeaders, type HeadersWrite } from "./EmailHeaders.ts"
import { checkRecipients, type Recipient } from "./EmailRecipients.ts"
import { type Attachment, entityAttachment, type ExtraHeader, type Labels } from "../../model/Submission.ts"

/** A request of which only the types have been checked. */
export interface EmailRequest {
  readonly from?: Maybe<MailboxWrite>
  /** One address over HTTP, several over the SMTP relay. */
  readonly to?: Maybe<MailboxWrite | ReadonlyArray<MailboxWrite>>
  readonly cc?: Maybe<ReadonlyArray<MailboxWrite>>
  readonly bcc?: Maybe<ReadonlyArray<MailboxWrite>>
  readonly replyTo?: Maybe<MailboxWrite>
  readonly subject?: Maybe<string>
  readonly html?: Maybe<LongText>
  readonly text?: Maybe<LongText>
  /** Whether HTML and text may both be missing: a relayed message can consist of attachments only. */
  readonly mayBeEmpty?: boolean
  /** Whether storable HTML and text are sent unchanged, since a relayed message belongs to its sender. */
  readonly keepsContent?: boolean
  readonly templateId?: Maybe<string>
  readonly variables?: Maybe<TemplateValues>
  readonly attachments?: Maybe<ReadonlyArray<AttachmentWrite>>
  /** The complete body of a signed or encrypted message, as `entityAttachment` stores it; it replaces all other content. */
  readonly entity?: Uint8Array | null
  readonly headers?: Maybe<HeadersWrite>
  readonly sendAt?: Maybe<string>
  readonly idempotencyKey?: Maybe<string>
  readonly tags?: Maybe<Labels>
  readonly metadata?: Maybe<Labels>
  readonly tracking?: Maybe<{ readonly opens?: Maybe<boolean>; readonly clicks?: Maybe<boolean> }>
}

/** The body of an email: its own content, or a template to be rendered. */
export type EmailBody =
  | ({ readonly _tag: "Content" } & EmailText<LongText>)
  | { readonly _tag: "Template"; readonly id: string; readonly variables: TemplateValues }

/** A validated request. */
export interface EmailCommand {
  /** Null for the account's default sender. */
  readonly from: Mailbox | null
  /** Each address once, in the given order: To, Cc, Bcc. */
  readonly recipients: ReadonlyArray<Recipient>
  readonly replyTo: Mailbox | null
  readonly body: EmailBody
  /** Whether HTML and text are sent unchanged. */
  readonly keepsContent: boolean
  readonly attachments: ReadonlyArray<Attachment>
  readonly headers: ReadonlyArray<ExtraHeader>
  /** As submitted, even if it is in the past: epoch milliseconds; null for at once. */
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
/** The maximum number of tags, and of entries of metadata. */
export const maxLabels = 20
/** The maximum number of characters of a tag's or metadata entry's value. */
export const maxLabelValue = 256
const labelName = /^[A-Za-z0-9_.-]{1,64}$/
/** An idempotency key: 1 to 150 visible ASCII characters (docs/contributing/public-api.md "Transactional email"). */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,150}$/
/** The maximum number of characters of a template's variables, as compact JSON. */
const maxVariables = 100_000

/**
 * Parses a request. `headerKey` is the Idempotency-Key header, null if absent; `now` is in epoch milliseconds. Fails with
 * every issue found.
 */
export const parseEmailRequest = (
  request: EmailRequest,
  headerKey: string | null,
  now: number
): Result.Result<EmailCommand, Problem> => {
  const issues = new Issues()
  const command = {
    recipients: checkRecipients(request, issues),
    from: checkMailbox(request.from, "from", issues),
    replyTo: checkMailbox(request.replyTo, "replyTo", issues),
    idempotencyKey: checkIdempotencyKey(request.idempotencyKey ?? null, headerKey, issues),
    body: request.templateId == null ? checkContent(request, issues) : checkTemplate(request, issues),
    keepsContent: request.keepsContent === true,
    attachments:
      request.entity == null
        ? checkAttachments(request.attachments, issues)
        : [entityAttachment(request.entity)],
    headers: checkHeaders(request.headers, issues),
    sendAt: checkSendAt(request.sendAt, now, issues),
    tags: checkLabels(request.tags, "tags", "sending.tags_invalid", issues),
    metadata: checkLabels(request.metadata, "metadata", "sending.metadata_invalid", issues),
    trackOpens: request.tracking?.opens ?? null,
    trackClicks: request.tracking?.clicks ?? null
  }
  return issues.result(command)
}

const checkMailbox = (
  write: Maybe<MailboxWrite>,
  field: "from" | "replyTo",
  issues: Issues
): Mailbox | null => {
  if (write == null) return null
  const mailbox = parseMailbox(write)
  if (mailbox === null) issues.add("validation.email", field)
  return mailbox
}

/** The idempotency key given in the header or in the body; null if there is none. Fails as `parseEmailRequest` does. */
export const parseIdempotencyKey = (
  bodyKey: string | null,
  headerKey: string | null
): Result.Result<string | null, Problem> => {
  const issues = new Issues()
  return issues.result(checkIdempotencyKey(bodyKey, headerKey, issues))
}

const checkIdempotencyKey = (
  bodyKey: string | null,
  headerKey: string | null,
  issues: Issues
): string | null => {
  for (const key of [bodyKey, headerKey]) {
    if (key !== null && !idempotencyKeyPattern.test(key)) {
      issues.add("sending.idempotency_key_invalid", "idempotencyKey")
      return null
    }
  }
  if (bodyKey !== null && headerKey !== null && bodyKey !== headerKey) {
    issues.add("sending.idempotency_key_mismatch", "idempotencyKey")
  }
  return bodyKey ?? headerKey
}

const checkContent = (request: EmailRequest, issues: Issues): EmailBody => {
  const subject = checkSubject(request.subject, issues)
  const isChecked = request.keepsContent === true
  const html = checkBody(request.html, "html", issues, isChecked)
  const text = checkBody(request.text, "text", issues, isChecked)
  if (request.subject != null && html === null && text === null && request.mayBeEmpty !== true) {
    issues.add("sending.content_required", "html")
  }
  if (Object.keys(request.variables ?? {}).length > 0) {
    issues.add("sending.content_ambiguous", "variables")
  }
  return { _tag: "Content", subject, html, text: textBeside(html, text, request.text) }
}

/** A template is the complete content, so a subject or body beside it is ambiguous. */
const checkTemplate = (request: EmailRequest, issues: Issues): EmailBody => {
  const id = (request.templateId ?? "").trim().toLowerCase()
  if (!isUuid(id)) issues.add("sending.template_not_found", "templateId")
  for (const field of ["subject", "html", "text"] as const) {
    if (!isBlank(request[field] ?? "")) issues.add("sending.content_ambiguous", field)
  }
  const variables = request.variables ?? {}
  if (sizeOf(variables) > maxVariables) {
    issues.add("sending.variables_invalid", "variables", { max: maxVariables })
    return { _tag: "Template", id, variables: {} }
  }
  return { _tag: "Template", id, variables: withoutLoss(variables) as TemplateValues }
}

/** The number of characters of a value's JSON; infinite if the value is nested too deeply to be serialized. */
const sizeOf = (value: TemplateValues): number => {
  try {
    return JSON.stringify(value).length
  } catch {
    return Infinity
  }
}

const checkSendAt = (value: Maybe<string>, now: number, issues: Issues): number | null => {
  if (value == null) return null
  const at = parseDateTime(value)
  if (at === null) issues.add("validation.format", "sendAt", null, { expected: formats.dateTime })
  else if (at > now + maxDaysAhead * dayMillis) {
    issues.add("sending.send_at_too_far", "sendAt", { maxDays: maxDaysAhead })
  }
  return at
}

const checkLabels = (value: Maybe<Labels>, field: string, code: Code, issues: Issues): Labels => {
  const entries = Object.entries(value ?? {})
  const valid = ([name, text]: [string, string]) =>
    labelName.test(name) && text.length <= maxLabelValue && isStorable(text)
  if (entries.length > maxLabels) issues.add(code, field, { max: maxLabels })
  else {
    const wrong = entries.find((entry) => !valid(entry))
    if (wrong !== undefined) issues.add(code, labelName.test(wrong[0]) ? `${field}.${wrong[0]}` : field)
  }
  return Object.fromEntries(entries)
}
