/**
 * Implements the HtmlRewriter port with htmlparser2's tokenizer, which reports the index of every token, and html-to-text.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { QuoteType, Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { displayHtml } from "./HtmlDisplay.ts"
import { documentOf } from "./HtmlDocument.ts"
import { textOf, textTask } from "./HtmlText.ts"
import { isWhole, maskTemplate } from "./TemplateMask.ts"
import {
  type HtmlLink,
  HtmlRewriter,
  type KeptLinks,
  maxLinkText,
  type TemplateLink
} from "../../core/ports/HtmlRewriter.ts"
import { Threads } from "../../core/ports/Threads.ts"

/** An attribute value to be replaced: its indexes, including the quotes, and its URL. */
interface Link {
  readonly start: number
  readonly end: number
  readonly url: string
  /** Whether rendering creates parts of its URL. */
  readonly isRendered: boolean
}

/** A link whose text is being read. */
interface OpenLink extends Link {
  text: string
}

interface Positions {
  readonly links: ReadonlyArray<OpenLink>
  /** The index of the end of the body. */
  readonly end: number
}

/** Elements that are displayed on lines or in cells of their own, and so separate words. */
const blocks = new Set(
  (
    "address article aside blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre " +
    "section table tbody td tfoot th thead tr ul"
  ).split(" ")
)

const isLink = (name: string): boolean => name === "a" || name === "area"

/** The maximum number of links that are rewritten, and their maximum length in characters. Others are not changed. */
export const maxLinks = 5_000
const maxLink = 4_000

/** The http(s) URL of an attribute value, as a browser parses it; null for anything else. */
const urlOf = (value: string): string | null => {
  // Only the beginning of a longer value was read.
  if (value.length > maxLink) return null
  const text = value.trim()
  return /^https?:/i.test(text) ? (URL.parse(text)?.href ?? null) : null
}

/** The http(s) URL of an attribute value of a template; null for anything else. */
const templateUrlOf = (value: string): Pick<Link, "isRendered" | "url"> | null => {
  const text = value.trim()
  if (/\{[{%]/.test(text)) {
    const mayBeLink = value.length <= maxLink && /^(?:https?:|\{[{%])/i.test(text) && isWhole(text)
    return mayBeLink ? { url: text, isRendered: true } : null
  }
  const url = urlOf(value)
  return url === null ? null : { url, isRendered: false }
}

const whiteSpace = /\s/

/** The index of an attribute's value, including its quote. `index` is the end of the attribute's name. */
const valueStart = (html: string, index: number): number => {
  let at = index
  while (whiteSpace.test(html[at] ?? "")) at++
  if (html[at] === "=") at++
  while (whiteSpace.test(html[at] ?? "")) at++
  return at
}

/**
 * Finds the links to be rewritten, with their texts if requested, and the end of the body. For a template, `html` is its mask.
 */
const positionsOf = (
  html: string,
  kept: KeptLinks,
  hasTexts = false,
  template: string | null = null
): Positions => {
  const written = template ?? html
  const links: Array<OpenLink> = []
  /** The link that is currently open. */
  let open: OpenLink | null = null
  let alternative: string | null = null
  let tag = ""
  let name = ""
  let nameEnd = 0
  let value = ""
  /** The link of the current tag. If the attribute is repeated, the first one counts. */
  let href: Link | null = null
  let seen = false
  let isKept = false
  let bodyEnd: number | null = null
  let htmlEnd: number | null = null

  const addText = (text: string): void => {
    if (open !== null && open.text.length < maxLink) open.text += text
  }
  const endTag = (): void => {
    if (isLink(tag)) open = null
    if (href !== null && !isKept && isLink(tag) && links.length < maxLinks) {
      const link = { ...href, text: "" }
      links.push(link)
      open = link
    }
    if (tag === "img" || tag === "area") addText(` ${alternative ?? ""} `)
    else if (tag === "br" || blocks.has(tag)) addText(" ")
    if (tag === "area") open = null
  }
  const nothing = (): void => undefined
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
      href = null
      seen = false
      isKept = false
      alternative = null
    },
    onattribname: (start, end) => {
      name = html.slice(start, end).toLowerCase()
      nameEnd = end
      value = ""
    },
    onattribdata: (start, end) => {
      if (value.length <= maxLink) value += written.slice(start, end)
    },
    onattribentity: (codepoint) => {
      if (value.length <= maxLink) value += String.fromCodePoint(codepoint)
    },
    // The end is the index after the closing quote.
    onattribend: (quote, end) => {
      if (name === kept) isKept = true
      if (name === "alt") alternative ??= value
      if (name !== "href" || seen) return
      seen = true
      if (links.length >= maxLinks) return
      const start = valueStart(html, nameEnd)
      if (template === null) {
        const url = urlOf(value)
        if (url !== null) href = { start, end, url, isRendered: false }
        return
      }
      // An unquoted value that a tag of the template divides.
      if (quote === QuoteType.Unquoted && written[end] === "{") return
      const link = templateUrlOf(value)
      if (link !== null) href = { start, end: quote === QuoteType.Unquoted ? end : end - 1, ...link }
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag: (start, end) => {
      const closed = html.slice(start, end).toLowerCase()
      if (closed === "body") bodyEnd = html.lastIndexOf("<", start)
      else if (closed === "html") htmlEnd = html.lastIndexOf("<", start)
      else if (closed === "a") open = null
      else if (blocks.has(closed)) addText(" ")
    },
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onend: nothing,
    onprocessinginstruction: nothing,
    ontext: hasTexts ? (start, end) => addText(written.slice(start, end)) : nothing,
    ontextentity: hasTexts ? (codepoint) => addText(String.fromCodePoint(codepoint)) : nothing
  }
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return { links, end: bodyEnd ?? htmlEnd ?? html.length }
}

const attributeValue = (text: string): string =>
  `"${text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`

const rewrite = (
  html: string,
  linkOf: (urls: ReadonlyArray<string>) => (url: string) => string,
  end: string,
  kept: KeptLinks = "data-no-track"
): string => {
  const positions = positionsOf(html, kept)
  const link = linkOf(positions.links.map(({ url }) => url))
  let result = ""
  let from = 0
  const copyTo = (to: number): void => {
    result += html.slice(from, to)
    from = to
  }
  let ended = false
  for (const { end: to, start, url } of positions.links) {
    if (!ended && start >= positions.end) {
      copyTo(positions.end)
      result += end
      ended = true
    }
    const tracked = link(url)
    if (tracked === url) continue
    copyTo(start)
    result += attributeValue(tracked)
    from = to
  }
  if (!ended) {
    copyTo(positions.end)
    result += end
  }
  return result + html.slice(from)
}

const shownText = (text: string): string | null =>
  text.replace(/\s+/g, " ").trim().slice(0, maxLinkText) || null

const links = (html: string, kept: KeptLinks = "data-no-track"): ReadonlyArray<HtmlLink> =>
  positionsOf(html, kept, true).links.map(({ text, url }) => ({ url, text: shownText(text) }))

const templateLinks = (template: string, kept: KeptLinks = "data-no-track"): ReadonlyArray<TemplateLink> =>
  positionsOf(maskTemplate(template), kept, true, template).links.map(
    ({ end, isRendered, start, text, url }) => ({
      url,
      text: shownText(text),
      isRendered,
      end: start + template.slice(start, end).trimEnd().length
    })
  )

/** Html of at most this many characters is converted to text immediately. It takes about a millisecond, less than a thread. */
const maxFast = 8_000

/** Rewrites in this thread, and converts long html to text in another one. */
export const layer: Layer.Layer<HtmlRewriter, never, Threads> = Layer.effect(
  HtmlRewriter,
  Effect.map(Threads, (threads) =>
    HtmlRewriter.of({
      rewrite,
      links,
      templateLinks,
      display: displayHtml,
      document: documentOf,
      text: (html) =>
        (html.length <= maxFast
          ? Effect.sync(() => textOf(html))
          : // The number of messages in progress limits how many wait.
            threads.run(textTask, html, { bytes: 0 })
        ).pipe(
          Effect.map((text) => (text === "" ? null : text)),
          Effect.catch(() => Effect.succeed(null))
        )
    })
  )
)
