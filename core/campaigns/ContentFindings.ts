/**
 * Finds what people who receive a campaign would miss or mistrust in its content.
 *
 * @module
 */
import type { VersionPart } from "../model/Campaign.ts"
import { imagesWithoutText, isQuestionable } from "../sending/templates/ReaderRules.ts"
import type { Code } from "../shared/Problem.ts"

/** What was found in content. */
export interface ContentFinding {
  readonly severity: "Error" | "Warning"
  readonly code: Code
  readonly field: "html" | "preheader" | "subject" | "text"
  readonly params?: { readonly max: number } | { readonly line: number; readonly column: number }
  /** How many links or images it concerns; null where it concerns the whole. */
  readonly count: number | null
}

/** A content with what an HTML parser reads in it. */
export interface ReadContent extends Pick<VersionPart, "html" | "preheader" | "subject" | "text"> {
  /** The http and https links of the html. */
  readonly links: ReadonlyArray<string>
  /** The text of what the html displays, with `unsubscribeMark` where it leads to unsubscribing; null without any. */
  readonly displayed: string | null
}

/** The URL that stands for `unsubscribeUrl` while html is read. */
export const unsubscribeMark = "https://unsubscribe.invalid/"

const unsubscribeOutput = /\{\{-?\s*unsubscribeUrl\b[^{}]{0,200}\}\}/g

/** Html with `unsubscribeMark` where it leads to unsubscribing. */
export const withUnsubscribeMark = (html: string): string => html.replace(unsubscribeOutput, unsubscribeMark)

/** The tags before what Liquid does not read, comments and what stands as it is written, and the tags after it. */
const unreadBegin = /^\{%-?\s*(raw|comment)\s*-?%\}$/
const unreadEnd = /\{%-?\s*end(raw|comment)\s*-?%\}/g
/** A tag that is a comment. */
const inlineComment = /^\{%-?\s*#/
/** The tag of which each line is a tag. */
const linesBegin = /^\{%-?\s*liquid(?=\s)/
const strings = /"[^"]*"|'[^']*'/g
const eventName = /(?<!\w|\w-|(?<!\.)\.)event(?!\w|-\w)/
/** The tags that make a value of the template's own by that name. */
const ownEvent = /^\{%-?\s*(?:assign|capture|decrement|for|increment|tablerow)\s+event(?!\w|-\w)/

const blanked = (text: string): string => " ".repeat(text.length)

/** Where what a tag begins ends: a template's length where it does not, the tag's own end where Liquid reads on. */
const endOfUnread = (template: string, mark: string, end: number): number => {
  const name = unreadBegin.exec(mark)?.[1]
  if (name === undefined) return end
  unreadEnd.lastIndex = end
  for (let tag = unreadEnd.exec(template); tag !== null; tag = unreadEnd.exec(template))
    if (tag[1] === name) return unreadEnd.lastIndex
  return template.length
}

/** The outputs and tags of a template, in time linear in its length: an end that is missing is looked for once. */
function* marksOf(template: string): Generator<{ readonly mark: string; readonly index: number }> {
  const missing = new Set<string>()
  let at = 0
  for (let index = template.indexOf("{"); index !== -1; index = template.indexOf("{", at)) {
    const next = template[index + 1]
    at = index + 1
    if (next !== "{" && next !== "%") continue
    const close = next === "{" ? "}}" : "%}"
    const end = missing.has(close) ? -1 : template.indexOf(close, index + 2)
    if (end === -1) {
      missing.add(close)
      continue
    }
    const mark = template.slice(index, end + 2)
    yield { mark, index }
    at = endOfUnread(template, mark, end + 2)
  }
}

/** The tags that are the lines of a tag `liquid`, without comments; what has no such lines as it is. */
function* tagsOf(mark: string, index: number): ReturnType<typeof marksOf> {
  const begin = linesBegin.exec(mark)?.[0]
  if (begin === undefined) return yield { mark, index }
  let at = begin.length
  let isComment = false
  for (const line of mark.slice(at, -"%}".length).split("\n")) {
    const [name] = /\w+/.exec(line) ?? []
    if (name === "comment") isComment = true
    if (!isComment) yield { mark: `{%${line}`, index: index + at - "{%".length }
    if (name === "endcomment") isComment = false
    at += line.length + 1
  }
}

/**
 * Where a template first uses `event`, which emails of campaigns do not have; null where it does not, or has a value of its own
 * by that name.
 */
export const eventUse = (template: string): { readonly line: number; readonly column: number } | null => {
  let first: number | null = null
  for (const whole of marksOf(template)) {
    for (const { index, mark } of tagsOf(whole.mark, whole.index)) {
      if (inlineComment.test(mark)) continue
      const read = mark.replaceAll(strings, blanked)
      if (ownEvent.test(read)) return null
      const used = eventName.exec(read)
      if (used !== null) first ??= index + used.index
    }
  }
  if (first === null) return null
  const lines = template.slice(0, first).split("\n")
  return { line: lines.length, column: lines.at(-1)!.length + 1 }
}

/** The longest subject that mail programs show whole. */
const maxSubject = 60
/** Gmail shows the beginning alone of html with so many bytes. */
const clippedFrom = 102_400

/** What is found in content, errors first. */
export const findingsOfContent = ({
  displayed,
  html,
  links,
  preheader,
  subject,
  text
}: ReadContent): ReadonlyArray<ContentFinding> => {
  const findings: Array<ContentFinding> = []
  const add = (
    isFound: boolean,
    finding: Omit<ContentFinding, "count" | "severity">,
    count: number | null = null
  ) => {
    if (isFound) findings.push({ severity: "Warning", ...finding, count })
  }
  const sources = { subject, preheader, html, text }
  for (const field of ["subject", "preheader", "html", "text"] as const) {
    const params = eventUse(sources[field] ?? "")
    if (params === null) continue
    findings.push({ severity: "Error", code: "campaigns.content_invalid", field, params, count: null })
  }
  const isMarked = html !== null && withUnsubscribeMark(html) !== html
  if (isMarked && displayed?.includes(unsubscribeMark) !== true) {
    findings.push({ severity: "Error", code: "campaigns.unsubscribe_hidden", field: "html", count: null })
  }
  add(subject.length > maxSubject, {
    code: "validation.max_length",
    field: "subject",
    params: { max: maxSubject }
  })
  add(preheader === null || preheader.trim() === "", {
    code: "campaigns.preheader_missing",
    field: "preheader"
  })
  add(text === null, { code: "campaigns.text_missing", field: "text" })
  if (html === null) return findings
  add(new TextEncoder().encode(html).length >= clippedFrom, { code: "campaigns.html_clipped", field: "html" })
  const images = imagesWithoutText(html)
  add(images > 0, { code: "campaigns.image_text_missing", field: "html" }, images)
  const questionable = links.filter(isQuestionable).length
  add(questionable > 0, { code: "campaigns.link_questionable", field: "html" }, questionable)
  return findings
}
