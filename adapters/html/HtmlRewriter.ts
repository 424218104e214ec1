/**
 * The HtmlRewriter port by htmlparser2's tokenizer, which reports the index of every token, and html-to-text.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { displayHtml } from "./HtmlDisplay.ts"
import { documentOf } from "./HtmlDocument.ts"
import { textOf, textTask } from "./HtmlText.ts"
import { type HtmlLink, HtmlRewriter, type KeptLinks, maxLinkText } from "../../core/ports/HtmlRewriter.ts"
import { Threads } from "../../core/ports/Threads.ts"

/** An attribute value to replace: its indexes, quotes included, and its URL. */
interface Link {
  readonly start: number
  readonly end: number
  readonly url: string
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

/** Elements that stand on lines or in cells of their own: what follows one is another word. */
const blocks = new Set(
  (
    "address article aside blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre " +
    "section table tbody td tfoot th thead tr ul"
  ).split(" ")
)

const isLink = (name: string): boolean => name === "a" || name === "area"

/** The most links that are rewritten, and the longest one, in characters: later and longer ones stay as they are. */
export const maxLinks = 5_000
const maxLink = 4_000

/** The http(s) URL of an attribute value, as a browser parses it; null for anything else. */
const urlOf = (value: string): string | null => {
  // Of a longer value only the beginning was read.
  if (value.length > maxLink) return null
  const text = value.trim()
  return /^https?:/i.test(text) ? (URL.parse(text)?.href ?? null) : null
}

const whiteSpace = /\s/

/** The index of an attribute's value, its quote included, given the end of the attribute's name. */
const valueStart = (html: string, index: number): number => {
  let at = index
  while (whiteSpace.test(html[at] ?? "")) at++
  if (html[at] === "=") at++
  while (whiteSpace.test(html[at] ?? "")) at++
  return at
}

/** Finds the links to rewrite, with their texts where they are wanted, and the end of the body. */
const positionsOf = (html: string, kept: KeptLinks, hasTexts = false): Positions => {
  const links: Array<OpenLink> = []
  /** The link that is open. */
  let open: OpenLink | null = null
  let alternative: string | null = null
  let tag = ""
  let name = ""
  let nameEnd = 0
  let value = ""
  /** The link of the current tag; the first of a repeated attribute counts. */
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
      if (value.length <= maxLink) value += html.slice(start, end)
    },
    onattribentity: (codepoint) => {
      if (value.length <= maxLink) value += String.fromCodePoint(codepoint)
    },
    // The end is after the closing quote.
    onattribend: (_quote, end) => {
      if (name === kept) isKept = true
      if (name === "alt") alternative ??= value
      if (name !== "href" || seen) return
      seen = true
      const url = links.length < maxLinks ? urlOf(value) : null
      if (url !== null) href = { start: valueStart(html, nameEnd), end, url }
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
    ontext: hasTexts ? (start, end) => addText(html.slice(start, end)) : nothing,
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

const links = (html: string, kept: KeptLinks = "data-no-track"): ReadonlyArray<HtmlLink> =>
  positionsOf(html, kept, true).links.map(({ text, url }) => ({
    url,
    text: text.replace(/\s+/g, " ").trim().slice(0, maxLinkText) || null
  }))

/** Html of at most this many characters is written as text at once, in about a millisecond: less than a thread costs. */
const maxFast = 8_000

/** Rewrites in process, and writes long html as text in a thread. */
export const layer: Layer.Layer<HtmlRewriter, never, Threads> = Layer.effect(
  HtmlRewriter,
  Effect.map(Threads, (threads) =>
    HtmlRewriter.of({
      rewrite,
      links,
      display: displayHtml,
      document: documentOf,
      text: (html) =>
        (html.length <= maxFast
          ? Effect.sync(() => textOf(html))
          : // The messages in progress bound what waits.
            threads.run(textTask, html, { bytes: 0 })
        ).pipe(
          Effect.map((text) => (text === "" ? null : text)),
          Effect.catch(() => Effect.succeed(null))
        )
    })
  )
)
