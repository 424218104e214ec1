/**
 * Pure functions that find what a spam filter, or a reader, would criticise in an email. The rules are SpamAssassin's, with
 * their names, the size at which Gmail clips a message, and those of `ReaderRules.ts`.
 *
 * @module
 */

import { imagesWithoutText, isQuestionable } from "./ReaderRules.ts"

/** A finding in the content of an email. */
export interface FilterFinding {
  /** The name of SpamAssassin's rule, or of one of our own. */
  readonly rule: string
  readonly field: "subject" | "html" | "text"
  readonly message: string
}

/** The content of an email, with the facts about its HTML. */
export interface FilteredContent {
  readonly subject: string
  /** The complete HTML document as it is sent; null without HTML. */
  readonly document: string | null
  /** The text part; null if it is generated from the HTML. */
  readonly text: string | null
  /** The text of the HTML; null without HTML. */
  readonly htmlText: string | null
  readonly images: number
  /** The URLs of the links. */
  readonly links: ReadonlyArray<string>
  /** Whether the HTML has a link to unsubscribe; null without HTML. */
  readonly hasUnsubscribe: boolean | null
  /** Fields without a value, by the part that shows them. */
  readonly missing: ReadonlyArray<{ readonly field: FilterFinding["field"]; readonly path: string }>
}

/** HTML with an image that is shorter than this counts as an image only (HTML_IMAGE_ONLY_04 to _32). */
const imageOnlyBelow = 3_200
/** From this length in bytes on, Gmail shows only the beginning of a message. */
const clippedFrom = 102_400
/** Subjects shorter than this may be all capitals (SUBJ_ALL_CAPS). */
const leastSubject = 10

const isCapitals = (subject: string): boolean => {
  const letters = subject.replaceAll(/[^a-zA-Z]/g, "")
  return (
    subject.length >= leastSubject &&
    /\s/.test(subject) &&
    letters !== "" &&
    letters === letters.toUpperCase()
  )
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** Whether at most a hundredth of the words in the HTML occur in the text. */
const isOther = (text: string, htmlText: string): boolean => {
  const words = wordsOf(htmlText)
  const others = wordsOf(text)
  return words.size > 0 && [...words].filter((word) => others.has(word)).length * 100 <= words.size
}

const hasNumericHost = (url: string): boolean => /^https?:\/\/[\d.]+(?:[:/?#]|$)/i.test(url)

/** Returns the findings in content, in the order of its fields. */
export const filterFindings = (content: FilteredContent): ReadonlyArray<FilterFinding> => {
  const { document, hasUnsubscribe, htmlText, images, links, missing, subject, text } = content
  const findings: Array<FilterFinding> = []
  const add = (isFound: boolean, rule: string, field: FilterFinding["field"], message: string): void => {
    if (isFound) findings.push({ rule, field, message })
  }
  add(isCapitals(subject.trim()), "SUBJ_ALL_CAPS", "subject", "The subject is in capitals.")
  add(
    subject.includes("?") && subject.includes("!"),
    "PLING_QUERY",
    "subject",
    "The subject has a question mark and an exclamation mark."
  )
  for (const { field, path } of missing) {
    add(
      true,
      "VALUE_MISSING",
      field,
      `${path} has no value here: give it one, such as {{ ${path} | default: "there" }}.`
    )
  }
  if (document === null) return findings
  add(
    images > 0 && document.length < imageOnlyBelow,
    "HTML_IMAGE_ONLY",
    "html",
    `The document has an image and fewer than ${imageOnlyBelow} characters: add text, or leave the html element out, so that the service completes it.`
  )
  add(
    links.some(hasNumericHost),
    "NORMAL_HTTP_TO_IP",
    "html",
    "A link leads to an IP address: give it the name of a host."
  )
  add(
    new TextEncoder().encode(document).length >= clippedFrom,
    "GMAIL_CLIPS",
    "html",
    "The html is 100 KB or larger: Gmail shows only its beginning."
  )
  add(
    imagesWithoutText(document) > 0,
    "IMAGE_WITHOUT_TEXT",
    "html",
    "An image has no alt: many people see it first, or hear it."
  )
  add(
    links.some((url) => isQuestionable(url) && !hasNumericHost(url)),
    "LINK_QUESTIONABLE",
    "html",
    "A link begins with http, leads to your own machine or has braces left: few people can follow it."
  )
  add(
    hasUnsubscribe === false,
    "NO_UNSUBSCRIBE_LINK",
    "html",
    "No link leads to {{ unsubscribeUrl }}: marketing email gets one at its end. Transactional email needs none."
  )
  add(
    text === null && htmlText === null,
    "MIME_HTML_ONLY",
    "text",
    "The message has no text part, since the html has no text: write some."
  )
  add(
    text !== null && htmlText !== null && isOther(text, htmlText),
    "MPART_ALT_DIFF",
    "text",
    "The text says something else than the html: leave text out, and it is made from the html."
  )
  return findings
}
