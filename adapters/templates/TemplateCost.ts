/**
 * Tells templates that certainly take little time from those that may not: from their source alone, without parsing it.
 *
 * @module
 */
import type { TemplateValues } from "../../core/ports/TemplateEngine.ts"
import type { Json } from "../../core/shared/Json.ts"

/** The most characters of a template that is parsed at once, and of all values that one is rendered with at once. */
const maxTemplate = 32_000
const maxValues = 32_000
/** The most tags and outputs of such a template. */
const maxMarks = 500
/** The most values in lists and objects. */
const maxNodes = 1_000
/** The most evaluations of outputs and tags. */
const maxSteps = 2_000
/** The most characters that the evaluations may read: of the longest value, or of all values where a filter takes a list. */
const maxRead = 1_000_000

/**
 * A tag or an output, as the engine delimits it. Delimiters in strings, and backslashes, which escape a quote in some places,
 * are left to the thread.
 */
const content = String.raw`((?:[^"'{}%\\]|"[^"{}%\\]*"|'[^'{}%\\]*')*)`
const marks = new RegExp(String.raw`\{\{-?${content}\}\}|\{%-?${content}%\}`, "g")

/** Tags that take no more time than what they contain. */
const cheapTags: ReadonlySet<string> = new Set(
  "if elsif else endif unless endunless case when endcase for endfor break continue".split(" ")
)

/** Filters that take time linear in one value and make at most a few times its length of it. */
const cheapFilters: ReadonlySet<string> = new Set(
  (
    "abs at_least at_most capitalize ceil default divided_by downcase escape first floor last lstrip minus modulo " +
    "newline_to_br plus round rstrip size strip times truncate upcase url_encode"
  ).split(" ")
)

/** The most filters of an output: each may lengthen its value. */
const maxFilters = 2

/** Whether a template certainly takes little time to parse. The tag `liquid` holds any number of others. */
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

/** Whether a mark is cheap; `tag` is null for an output. */
const isCheap = (tag: string | null, inside: string): boolean => {
  if (tag !== null && !cheapTags.has(tag)) return false
  // Ranges count to any number; `contains` searches one text in another.
  if (inside.includes("..") || /\bcontains\b/.test(inside)) return false
  const filters = inside.split("|").slice(1)
  return (
    filters.length <= maxFilters &&
    filters.every((filter) => cheapFilters.has(/^ *([a-z_]+) *(?:$|[ :-])/.exec(filter)?.[1] ?? ""))
  )
}

/** The characters of a number, about. */
const longestNumber = 20

interface Size {
  /** Of all values as text. */
  readonly length: number
  /** At least 1. */
  readonly longestList: number
  readonly longestText: number
}

/** The size of values; null for large ones, which are not walked to their end. */
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
