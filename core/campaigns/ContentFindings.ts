/**
 * Finds what recipients of a campaign would miss in its content, or mistrust.
 *
 * @module
 */
import type { VersionPart } from "../model/Campaign.ts"
import { imagesWithoutText, isQuestionable } from "../sending/templates/ReaderRules.ts"
import type { Code } from "../shared/Problem.ts"

/** A finding in content. */
export interface ContentFinding {
  readonly severity: "Error" | "Warning"
  readonly code: Code
  readonly field: "html" | "preheader" | "subject" | "text"
  readonly params?: { readonly max: number } | { readonly line: number; readonly column: number }
  /** The number of links or images concerned; null if the finding concerns the whole content. */
  readonly count: number | null
}

/** Content with what an HTML parser reads in it. */
export interface ReadContent extends Pick<VersionPart, "html" | "preheader" | "subject" | "text"> {
  /** The http and https links of the HTML. */
  readonly links: ReadonlyArray<string>
  /** The text that the HTML displays, with `unsubscribeMark` where a link leads to unsubscribing; null without HTML. */
  readonly displayed: string | null
}

/** The URL that stands for `unsubscribeUrl` while HTML is parsed. */
export const unsubscribeMark = "https://unsubscribe.invalid/"

const unsubscribeOutput = /\{\{-?\s*unsubscribeUrl\b[^{}]{0,200}\}\}/g

/** Replaces `unsubscribeUrl` by `unsubscribeMark` in HTML. */
export const withUnsubscribeMark = (html: string): string => html.replace(unsubscribeOutput, unsubscribeMark)

/** The tags that begin parts that Liquid does not evaluate (`raw` and `comment`), and the tags that end them. */
const unreadBegin = /^\{%-?\s*(raw|comment)\s*-?%\}$/
const unreadEnd = /\{%-?\s*end(raw|comment)\s*-?%\}/g
/** A tag that is an inline comment. */
const inlineComment = /^\{%-?\s*#/
/** The `liquid` tag, in which each line is a tag. */
const linesBegin = /^\{%-?\s*liquid(?=\s)/
const strings = /"[^"]*"|'[^']*'/g
const eventName = /(?<!\w|\w-|(?<!\.)\.)event(?!\w|-\w)/
/** The tags that define a value named `event` in the template itself. */
const ownEvent = /^\{%-?\s*(?:assign|capture|decrement|for|increment|tablerow)\s+event(?!\w|-\w)/

const blanked = (text: string): string => " ".repeat(text.length)

/**
 * Where the part that a tag begins ends: at its end tag or, if that is missing, at the end of the template. For any other tag,
 * its own end.
 */
const endOfUnread = (template: string, mark: string, end: number): number => {
  const name = unreadBegin.exec(mark)?.[1]
  if (name === undefined) return end
  unreadEnd.lastIndex = end
  for (let tag = unreadEnd.exec(template); tag !== null; tag = unreadEnd.exec(template))
    if (tag[1] === name) return unreadEnd.lastIndex
  return template.length
}

/** Iterates over the outputs and tags of a template, in time linear in its length: a missing end is searched only once. */
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

/** Iterates over the tags that the lines of a `liquid` tag are, without comments. Any other mark is returned unchanged. */
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
 * Where a template first uses `event`, which emails of campaigns do not have; null if it does not use it, or defines a value
 * of that name itself.
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

/** The maximum length of a subject that mail programs show in full. */
const maxSubject = 60
/** Gmail shows only the beginning of HTML with at least this many bytes. */
const clippedFrom = 102_400

/** Returns the findings in content, errors first. */
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
