/**
 * What an email says, and its rules: the same for what a request gives and for what a template renders to.
 *
 * @module
 */
import { type Issue, issue, Problem } from "../../shared/Problem.ts"
import { checkText, isStorable, type Maybe } from "../../shared/Validate.ts"

/** What an email says: html, text or both. */
export interface EmailText {
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
}

/** The most characters of a subject. */
export const maxSubject = 300
/** The most characters of html, and of text. */
export const maxBody = 500_000

/** Control characters no mail client shows; tab, line feed and carriage return are text. */
const bodyControls = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const lineBreaks = /[\u0000-\u001f\u007f]/

/** Checks a subject, which has to be there. */
export const checkSubject = (value: Maybe<string>, issues: Array<Issue>): string => {
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

/** Checks html or text; null for an empty one. They are kept as sent, not trimmed: white space can be meant. */
export const checkBody = (
  value: Maybe<string>,
  field: "html" | "text",
  issues: Array<Issue>
): string | null => {
  if (value == null || value.trim() === "") return null
  if (!isStorable(value) || bodyControls.test(value)) issues.push(issue("validation.format", field))
  else if (value.length > maxBody) issues.push(issue("validation.max_length", field, { max: maxBody }))
  return value
}

/** Checks what a template was rendered to. */
export const checkRendered = (rendered: EmailText): EmailText | Problem => {
  const issues: Array<Issue> = []
  const subject = checkSubject(rendered.subject, issues)
  const html = checkBody(rendered.html, "html", issues)
  const text = checkBody(rendered.text, "text", issues)
  if (html === null && text === null) issues.push(issue("sending.content_required", "html"))
  return Problem.from(issues) ?? { subject, html, text }
}
