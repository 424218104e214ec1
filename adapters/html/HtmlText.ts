/**
 * Converts HTML to text with html-to-text, in a function that threads can run.
 *
 * @module
 */
import { compile } from "html-to-text"
import { hiddenSelectors } from "./HiddenSelectors.ts"
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"

/** The maximum number of characters that are read. */
const maxLength = 500_000
/** The maximum depth of elements that are read. The time grows with the square of the depth. */
const maxDepth = 100

/** Whether a link's address is worth including: not one within the page, nor one that only a browser understands. */
const isAddress = (href: string): boolean => /^(?:https?|mailto|tel):/i.test(href)

const options: Parameters<typeof compile>[0] = {
  // Mail programs wrap lines themselves, at the width of the window.
  wordwrap: false,
  limits: { maxDepth, ellipsis: "" },
  formatters: {
    link: (element, walk, builder) => {
      const href = (element.attribs?.["href"] ?? "").trim()
      let text = ""
      builder.pushWordTransform((word) => {
        text += word
        return word
      })
      walk(element.children, builder)
      builder.popWordTransform()
      const address = href.replace(/^mailto:|^tel:/i, "")
      if (!isAddress(href) || text === href || text === address) return
      builder.addInline(text === "" ? href : `: ${href}`, { noWordTransform: true })
    },
    alternative: (element, _walk, builder) => {
      builder.addInline(element.attribs?.["alt"] ?? "")
    }
  },
  selectors: [
    { selector: "a", format: "link" },
    { selector: "img", format: "alternative" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: "td", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    // Omits what the page does not show, such as the preview text for lists of messages.
    { selector: '[style*="display:none" i]', format: "skip" },
    { selector: '[style*="display: none" i]', format: "skip" },
    { selector: "[hidden]", format: "skip" },
    { selector: "title", format: "skip" }
  ]
}

/** The maximum number of converters that are kept, for style sheets that hide different elements. */
const maxConverters = 20
const converters = new Map<string, ReturnType<typeof compile>>()

/** A converter that also omits what the selectors hide. */
const converterOf = (hidden: ReadonlyArray<string>): ReturnType<typeof compile> => {
  const key = hidden.join(",")
  const known = converters.get(key)
  if (known !== undefined) return known
  const skipped = hidden.map((selector) => ({ selector, format: "skip" }))
  const made = compile({ ...options, selectors: [...options.selectors, ...skipped] })
  if (converters.size >= maxConverters) converters.delete(converters.keys().next().value!)
  converters.set(key, made)
  return made
}

/** The text of HTML; empty if it has none. */
export const textOf = (html: string): string => {
  const read = html.slice(0, maxLength)
  return converterOf(hiddenSelectors(read))(read).trim()
}

export const textInThread: ThreadFunction<string, string> = (html) => ({ value: textOf(html), transfer: [] })

/** Declares the function as a task for threads. */
export const textTask: ThreadTask<string, string> = {
  module: import.meta.url,
  name: "textInThread",
  maxMillis: 1_000
}
