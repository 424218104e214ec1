/**
 * The HtmlRewriter port by htmlparser2's tokenizer, which tells where in the text everything begins and ends.
 *
 * @module
 */
import { Layer } from "effect"
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { HtmlRewriter } from "../../core/ports/HtmlRewriter.ts"

/** A value to be replaced: from and to, quotes included, and the URL it holds. */
interface Found {
  readonly start: number
  readonly end: number
  readonly url: string
}

interface Places {
  readonly links: ReadonlyArray<Found>
  /** Where the body ends. */
  readonly end: number
}

const isLink = (name: string): boolean => name === "a" || name === "area"

/** An http(s) URL as a browser understands what an attribute holds; null for anything else. */
const urlOf = (value: string): string | null => {
  const text = value.trim()
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return null
  return new URL(text).href
}

const whiteSpace = /\s/

/** Where an attribute's value begins whose name ends at `index`, its quote included. */
const valueStart = (html: string, index: number): number => {
  let at = index
  while (whiteSpace.test(html[at] ?? "")) at++
  if (html[at] === "=") at++
  while (whiteSpace.test(html[at] ?? "")) at++
  return at
}

/** Finds the links to rewrite, and where the body ends. */
const placesOf = (html: string): Places => {
  const links: Array<Found> = []
  let tag = ""
  let name = ""
  let nameEnd = 0
  let value = ""
  /** Of the tag being read; of an attribute that is repeated the first counts. */
  let href: Found | null = null
  let seen = false
  let untracked = false
  let bodyEnd: number | null = null
  let htmlEnd: number | null = null

  const endTag = (): void => {
    if (href !== null && !untracked && isLink(tag)) links.push(href)
  }
  const nothing = (): void => undefined
  const callbacks: TokenizerCallbacks = {
    onopentagname: (start, end) => {
      tag = html.slice(start, end).toLowerCase()
      href = null
      seen = false
      untracked = false
    },
    onattribname: (start, end) => {
      name = html.slice(start, end).toLowerCase()
      nameEnd = end
      value = ""
    },
    onattribdata: (start, end) => {
      value += html.slice(start, end)
    },
    onattribentity: (codepoint) => {
      value += String.fromCodePoint(codepoint)
    },
    // The end lies behind the closing quote.
    onattribend: (_quote, end) => {
      if (name === "data-no-track") untracked = true
      if (name !== "href" || seen) return
      seen = true
      const url = urlOf(value)
      if (url !== null) href = { start: valueStart(html, nameEnd), end, url }
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    onclosetag: (start, end) => {
      const closed = html.slice(start, end).toLowerCase()
      if (closed === "body") bodyEnd = html.lastIndexOf("<", start)
      else if (closed === "html") htmlEnd = html.lastIndexOf("<", start)
    },
    oncdata: nothing,
    oncomment: nothing,
    ondeclaration: nothing,
    onend: nothing,
    onprocessinginstruction: nothing,
    ontext: nothing,
    ontextentity: nothing
  }
  const tokenizer = new Tokenizer({ decodeEntities: true }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return { links, end: bodyEnd ?? htmlEnd ?? html.length }
}

const attributeValue = (text: string): string =>
  `"${text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`

const rewrite = (html: string, link: (url: string) => string, end: string): string => {
  const places = placesOf(html)
  let result = ""
  let from = 0
  const copyTo = (to: number): void => {
    result += html.slice(from, to)
    from = to
  }
  let ended = false
  for (const { end: to, start, url } of places.links) {
    if (!ended && start >= places.end) {
      copyTo(places.end)
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
    copyTo(places.end)
    result += end
  }
  return result + html.slice(from)
}

/** Rewrites in process. */
export const layer = Layer.succeed(HtmlRewriter, HtmlRewriter.of({ rewrite }))
