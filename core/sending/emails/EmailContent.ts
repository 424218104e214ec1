/**
 * Validates the content of an email, from a request or a rendered template.
 *
 * @module
 */
import type { Result } from "effect"
import { Issues, type Problem } from "../../shared/Problem.ts"
import { isBlank, isLongerThan, type LongText, stringOf } from "../../model/LongText.ts"
import { checkText, isStorable, type Maybe, formats } from "../../shared/Validate.ts"

/** The content of an email: html, text or both. */
export interface EmailText<Text extends LongText = string> {
  readonly subject: string
  readonly html: Text | null
  /** Null if there is none; empty if messages of HTML must not get a text part either. */
  readonly text: Text | null
}

/** The maximum number of characters of a subject. */
export const maxSubject = 300
/** The maximum number of characters of the HTML, and of the text. */
export const maxBody = 500_000

/** Control characters that no mail client shows; tab, line feed and carriage return are allowed. */
const bodyControls = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const lineBreaks = /[\u0000-\u001f\u007f]/

/** Validates a subject, which is required. */
export const checkSubject = (value: Maybe<string>, issues: Issues): string => {
  if (value == null) {
    issues.add("sending.content_required", "subject")
    return ""
  }
  const subject = checkText(value, "subject", maxSubject, issues)
  if (subject === "") issues.add("validation.required", "subject")
  // A line break would end the Subject header; other control characters are never shown.
  else if (lineBreaks.test(subject) && isStorable(subject))
    issues.add("validation.format", "subject", null, { expected: formats.oneLine })
  return subject
}

/**
 * Validates HTML or text; null if it is empty. It is not trimmed, since white space can be intended.
 *
 * @param isChecked whether it is known to be storable and without control characters
 */
export const checkBody = <Text extends LongText>(
  value: Maybe<Text>,
  field: "html" | "text",
  issues: Issues,
  isChecked = false
): Text | null => {
  if (value == null || isBlank(value)) return null
  if (!isChecked && !isStorableBody(stringOf(value)))
    issues.add("validation.format", field, null, { expected: formats.storable })
  else if (isLongerThan(value, maxBody)) issues.add("validation.max_length", field, { max: maxBody })
  return value
}

const isStorableBody = (value: string): boolean => isStorable(value) && !bodyControls.test(value)

/** The text of an email that has HTML: empty if it was given as empty. */
export const textBeside = <Text extends LongText>(
  html: Text | null,
  text: Text | null,
  given: Maybe<Text>
): Text | "" | null => (text === null && html !== null && given != null ? "" : text)

/** Validates a rendered template. Fails with the same codes as the content of a request. */
export const checkRendered = (rendered: EmailText): Result.Result<EmailText, Problem> => {
  const issues = new Issues()
  const subject = checkSubject(rendered.subject, issues)
  const html = checkBody(rendered.html, "html", issues)
  const text = checkBody(rendered.text, "text", issues)
  if (html === null && text === null) issues.add("sending.content_required", "html")
  return issues.result({ subject, html, text: textBeside(html, text, rendered.text) })
}
