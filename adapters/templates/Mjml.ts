/**
 * Compiles MJML with mrml, a compiler in WebAssembly without access to files or the network. The Liquid in the source is replaced
 * with marks before compiling and restored afterwards, so that neither language has to be valid in the other.
 *
 * @module
 */
import { createRequire } from "node:module"
import type * as Mrml from "mrml"
import { type Invalid, invalidAt } from "./Liquid.ts"

/** The elements of MJML, without mj-include, because a template is a single source. */
const elements = new Set(
  (
    "mj-accordion mj-accordion-element mj-accordion-text mj-accordion-title mj-all mj-attributes mj-body " +
    "mj-breakpoint mj-button mj-carousel mj-carousel-image mj-class mj-column mj-divider mj-font mj-group mj-head " +
    "mj-hero mj-image mj-navbar mj-navbar-link mj-preview mj-raw mj-section mj-social mj-social-element mj-spacer " +
    "mj-style mj-table mj-text mj-title mj-wrapper"
  ).split(" ")
)

/** Longer HTML is cut, because it is too long for a template in any case. A few elements can result in 100 MB. */
const maxCompiled = 1_000_000

/**
 * The maximum number of images in a carousel. Each adds rules for all others: 4,000 images let the compiler grow to 1.5 GB,
 * memory that the thread's limit does not count.
 */
const maxCarouselImages = 50

/**
 * The maximum number of characters that attributes can expand to. Those of mj-attributes, and those that a container passes to
 * its elements, are written for each element: 200 KB of source let the compiler grow to 2.9 GB.
 */
const maxAttributes = 20_000_000

const require = createRequire(import.meta.url)
const path = require.resolve("mrml")
let loaded: typeof Mrml | null = null

/**
 * Web fonts are included only if the source names them with mj-font. By default, the compiler imports the font of MJML's default
 * style from Google, which would then see who reads an email.
 */
const renderOptions: Mrml.RenderOptions = {
  disableComments: false,
  fonts: {},
  socialIconOrigin: null
}

/** Compiles; null if the compiler crashed, for example because of a stack overflow. The next call then loads a new compiler. */
const compile = (source: string): Mrml.ToHtmlResult | null => {
  let engine: Mrml.Engine | null = null
  try {
    loaded ??= require("mrml") as typeof Mrml
    engine = new loaded.Engine()
    engine.setRenderOptions(renderOptions)
    return engine.toHtml(source)
  } catch {
    loaded = null
    delete require.cache[path]
    return null
  } finally {
    free(engine)
  }
}

/**
 * Frees a compiler. This fails after a crash, but still unregisters the finalizer that would end the process later.
 */
const free = (engine: Mrml.Engine | null): void => {
  try {
    engine?.free()
  } catch {
    loaded = null
    delete require.cache[path]
  }
}

/** Compiles MJML with valid Liquid to HTML with the same Liquid. Throws `Invalid`. */
export const compileMjml = (mjml: string): string => {
  const masked = maskLiquid(mjml)
  const invalid = (index: number, message: string): Invalid =>
    invalidAt(mjml, masked.original(index), message)
  let [count, longest, images] = [0, 0, 0]
  for (const { 0: tag, 1: name = "", index } of masked.text.matchAll(tags)) {
    if (!elements.has(name)) throw invalid(index, "unknown element")
    count++
    longest = Math.max(longest, tag.length)
    images = name === "mj-carousel-image" ? images + 1 : 0
    if (images > maxCarouselImages)
      throw invalid(index, `a carousel has more than ${maxCarouselImages} images`)
  }
  if (count * (longest + defaultsOf(masked.text)) > maxAttributes)
    throw invalid(0, "too many elements with long attributes")
  const result = compile(masked.text)
  if (result === null) throw invalid(0, "the compiler broke down: nested too deep")
  if (result.type === "error") throw invalid(indexOfError(masked.text, result), "not MJML")
  const unsupported = result.warnings.find(({ kind }) => kind === "inline-style-unsupported")
  if (unsupported !== undefined) {
    throw invalid(indexOfByte(masked.text, unsupported.span.start), "mj-style inline is not supported")
  }
  return masked.restore(result.content.slice(0, maxCompiled))
}

/** The start tags of elements. The time is linear, because an unclosed attribute ends a tag. */
const tags = /<(mj-[a-z-]+)(?:[^"'<>]+|"[^"]*"|'[^']*')*/gi

/** The length of the attributes that other elements inherit. */
const defaultsOf = (text: string): number => {
  const start = text.indexOf("<mj-attributes")
  return start === -1 ? 0 : Math.max(text.lastIndexOf("</mj-attributes"), start) - start
}

interface Masked {
  readonly text: string
  /** Maps an index in the masked source to one in the original. */
  readonly original: (index: number) => number
  /** Restores the Liquid. */
  readonly restore: (text: string) => string
}

const maskLiquid = (source: string): Masked => {
  let prefix = "liquid"
  while (source.includes(prefix)) prefix += "q"
  const marks: Array<string> = []
  /** The indexes after each mark, in the masked source and in the original. */
  const starts: Array<readonly [masked: number, original: number]> = []
  let text = ""
  let from = 0
  for (const [start, end] of liquidOf(source)) {
    text += source.slice(from, start)
    starts.push([text.length, start])
    text += `${prefix}${marks.length}x`
    marks.push(source.slice(start, end))
    starts.push([text.length, end])
    from = end
  }
  text += source.slice(from)
  const pattern = new RegExp(`${prefix}(\\d+)x`, "g")
  return {
    text,
    original: (index) => {
      const [masked, original] = starts.findLast((start) => start[0] <= index) ?? [0, 0]
      return original + index - masked
    },
    restore: (html) => html.replaceAll(pattern, (_, index: string) => marks[Number(index)] ?? "")
  }
}

const closers: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}" }

/** The start and end indexes of the tags and outputs of a source. */
function* liquidOf(source: string): Generator<readonly [start: number, end: number]> {
  const open = /\{[{%]/g
  for (let match = open.exec(source); match !== null; match = open.exec(source)) {
    const close = source.indexOf(closers[match[0]]!, open.lastIndex)
    // An opening without an end is text inside {% raw %}, because anywhere else the Liquid would not have been valid.
    if (close === -1) return
    open.lastIndex = close + 2
    yield [match.index, close + 2]
  }
}

/** The index of an error: from a span in bytes, or from `line:column` in its message. Without both, the end of the text. */
const indexOfError = (text: string, error: Mrml.ToHtmlError): number => {
  if (error.origin !== "parser") return 0
  const { details } = error
  if ("position" in details) return indexOfByte(text, details.position.start)
  const words = "source" in details ? details.source : ""
  // Only the last one counts, because those before it may be part of the template.
  const [, line, column] = [...words.matchAll(/(?<!\d)(\d{1,9}):(\d{1,9})/g)].at(-1) ?? []
  if (line === undefined) return details.type === "no-root-node" ? 0 : text.length
  const lines = text.split("\n").slice(0, Number(line) - 1)
  return Math.min(text.length, lines.join("\n").length + (lines.length > 0 ? 1 : 0) + Number(column) - 1)
}

/** The index in a string that corresponds to a byte of its UTF-8 encoding. */
const indexOfByte = (text: string, byte: number): number =>
  new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, byte)).length
