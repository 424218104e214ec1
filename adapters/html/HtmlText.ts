/**
 * Writes HTML as text by html-to-text, as a function that threads can run.
 *
 * @module
 */
import { compile } from "html-to-text"
import { hiddenSelectors } from "./HiddenSelectors.ts"
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"

/** The most characters that are read. */
const maxLength = 500_000
/** The deepest element that is read: what takes time grows with the square of the depth. */
const maxDepth = 100

/** Whether an address is worth writing: not one within the page, nor one that only a browser understands. */
const isAddress = (href: string): boolean => /^(?:https?|mailto|tel):/i.test(href)

const options: Parameters<typeof compile>[0] = {
  // Mail programs wrap lines themselves, to the width of the window.
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
    // Without what the page does not show, such as the preview that lists of messages do.
    { selector: '[style*="display:none" i]', format: "skip" },
    { selector: '[style*="display: none" i]', format: "skip" },
    { selector: "[hidden]", format: "skip" },
    { selector: "title", format: "skip" }
  ]
}

/** The most converters that are kept, of style sheets that hide different elements. */
const maxConverters = 20
const converters = new Map<string, ReturnType<typeof compile>>()

/** A converter that leaves out what selectors hide, too. */
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

/** The text of HTML; empty where it has none. */
export const textOf = (html: string): string => {
  const read = html.slice(0, maxLength)
  return converterOf(hiddenSelectors(read))(read).trim()
}

export const textInThread: ThreadFunction<string, string> = (html) => ({ value: textOf(html), transfer: [] })

/** The function as a task. */
export const textTask: ThreadTask<string, string> = {
  module: import.meta.url,
  name: "textInThread",
  maxMillis: 1_000
}
