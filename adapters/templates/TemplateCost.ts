/**
 * Identifies templates that certainly take little time, from their source and without parsing them.
 *
 * @module
 */
import type { TemplateValues } from "../../core/ports/TemplateEngine.ts"
import type { Json } from "../../core/shared/Json.ts"

/** The maximum length, in characters, of a template that is parsed in this thread, and of all values for rendering it. */
const maxTemplate = 32_000
const maxValues = 32_000
/** The maximum number of tags and outputs of such a template. */
const maxMarks = 500
/** The maximum number of values in lists and objects. */
const maxNodes = 1_000
/** The maximum number of evaluations of outputs and tags. */
const maxSteps = 2_000
/** The maximum characters that evaluations may read: of the longest value, or of all values if a filter takes a list. */
const maxRead = 1_000_000

/**
 * The content of a tag or an output, as the engine delimits it. Templates with delimiters in strings, or with backslashes, which
 * escape a quote in some positions, are processed in a thread.
 */
const content = String.raw`((?:[^"'{}%\\]|"[^"{}%\\]*"|'[^'{}%\\]*')*)`
const marks = new RegExp(String.raw`\{\{-?${content}\}\}|\{%-?${content}%\}`, "g")

/** Tags that take no more time than their content. */
const cheapTags: ReadonlySet<string> = new Set(
  "if elsif else endif unless endunless case when endcase for endfor break continue".split(" ")
)

/** Filters that take time linear in one value, and return at most a few times its length. */
const cheapFilters: ReadonlySet<string> = new Set(
  (
    "abs at_least at_most capitalize ceil default divided_by downcase escape first floor last lstrip minus modulo " +
    "newline_to_br plus round rstrip size strip times truncate upcase url_encode"
  ).split(" ")
)

/** The maximum number of filters of an output. Each may lengthen its value. */
const maxFilters = 2

/** Whether a template certainly takes little time to parse. The tag `liquid` may contain any number of others. */
export const parsesFast = (template: string): boolean =>
  template.length <= maxTemplate &&
  (template.match(/\{[{%]/g)?.length ?? 0) <= maxMarks &&
  !template.includes("liquid")

/** Whether a template certainly takes little time to parse and to render. */
export const rendersFast = (template: string, values: TemplateValues): boolean => {
  if (!parsesFast(template)) return false
  const size = sizeOf(values)
  if (size === null) return false
  let depth = 0
  let steps = 0
  let read = 0
  const text = template.replaceAll(marks, (_, output?: string, inTag?: string) => {
    const inside = output ?? inTag ?? ""
    const tag = output === undefined ? (/^\s*([a-z]+)(?![\w-])/.exec(inside)?.[1] ?? "") : null
    if (!isCheap(tag, inside)) steps = Infinity
    if (tag === "endfor") depth--
    const times = size.longestList ** Math.max(0, depth)
    steps += times
    read += times * (inside.includes("|") ? size.length : size.longestText)
    if (tag === "for") depth++
    return ""
  })
  return !/\{[{%]/.test(text) && steps <= maxSteps && read <= maxRead
}

/** Whether a tag or output is cheap; `tag` is null for an output. */
const isCheap = (tag: string | null, inside: string): boolean => {
  if (tag !== null && !cheapTags.has(tag)) return false
  // A range may have any size, and `contains` searches one string in another.
  if (inside.includes("..") || /\bcontains\b/.test(inside)) return false
  const filters = inside.split("|").slice(1)
  return (
    filters.length <= maxFilters &&
    filters.every((filter) => cheapFilters.has(/^ *([a-z_]+) *(?:$|[ :-])/.exec(filter)?.[1] ?? ""))
  )
}

/** The approximate maximum number of characters of a number. */
const longestNumber = 20

interface Size {
  /** The total length of all values as text. */
  readonly length: number
  /** At least 1. */
  readonly longestList: number
  readonly longestText: number
}

/** The size of values; null if they are large. Large values are not traversed completely. */
const sizeOf = (values: TemplateValues): Size | null => {
  let nodes = 0
  let length = 0
  let longestList = 1
  let longestText = longestNumber
  const walk = (value: Json): boolean => {
    if (typeof value === "string") {
      length += value.length
      longestText = Math.max(longestText, value.length)
    } else {
      length += longestNumber
      if (typeof value === "object" && value !== null) {
        const inner = Object.values(value)
        nodes += inner.length
        longestList = Math.max(longestList, inner.length)
        if (nodes > maxNodes || !inner.every(walk)) return false
      }
    }
    return length <= maxValues
  }
  return walk(values) ? { length, longestList, longestText } : null
}
