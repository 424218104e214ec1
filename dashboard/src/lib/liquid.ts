/**
 * Completes Liquid as it is typed: variables in `{{ }}`, filters after `|`, and tags in `{% %}`.
 *
 * @module
 */

/** The options for completing the text at the caret. */
export interface Completion {
  /** Where the word being typed begins. */
  readonly from: number
  readonly options: ReadonlyArray<string>
}

/** The filters that emails use most. The service supports more. */
export const filters = [
  "append",
  "capitalize",
  "date",
  "default",
  "divided_by",
  "downcase",
  "escape",
  "first",
  "join",
  "json",
  "last",
  "map",
  "minus",
  "plus",
  "prepend",
  "raw",
  "remove",
  "replace",
  "round",
  "size",
  "slice",
  "sort",
  "split",
  "strip",
  "strip_html",
  "times",
  "truncate",
  "truncatewords",
  "uniq",
  "upcase",
  "url_encode",
  "where"
]

/** The tags of the language. */
export const tags = [
  "assign",
  "break",
  "capture",
  "case",
  "comment",
  "continue",
  "cycle",
  "else",
  "elsif",
  "endcapture",
  "endcase",
  "endcomment",
  "endfor",
  "endif",
  "endraw",
  "endunless",
  "for",
  "if",
  "raw",
  "unless",
  "when"
]

/** Names that are available in every template. */
export const commonNames = [
  "contact.email",
  "contact.externalId",
  "contact.firstName",
  "contact.lastName",
  "contact.phone",
  "contact.city",
  "contact.countryCode",
  "contact.language",
  "contact.tags",
  "unsubscribeUrl",
  "preferencesUrl",
  "webVersionUrl",
  'item[""]',
  "recommend.any",
  "variables"
]

/** The names in a sample of properties, such as `event.plan` and `event.address.city`. */
export const namesIn = (value: unknown, path: string): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, one]) => [`${path}.${name}`, ...namesIn(one, `${path}.${name}`)])
    : []

/** How many characters before the caret are searched for the beginning of Liquid. */
const reach = 500

/** The most options that are offered. */
const maxOptions = 8

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[\w.[\]"-]/.test(character)

/** The options at the caret; null if it is not in Liquid, or if nothing matches. */
export const completionAt = (
  text: string,
  caret: number,
  names: ReadonlyArray<string>
): Completion | null => {
  const before = text.slice(Math.max(0, caret - reach), caret)
  const output = before.lastIndexOf("{{")
  const tag = before.lastIndexOf("{%")
  const open = Math.max(output, tag)
  if (open === -1) return null
  const inside = before.slice(open + 2)
  if (inside.includes(output > tag ? "}}" : "%}")) return null
  let start = inside.length
  while (start > 0 && isWord(inside[start - 1])) start -= 1
  const word = inside.slice(start)
  const ahead = inside.slice(0, start).trimEnd()
  const offered = ahead.endsWith("|")
    ? filters
    : tag > output && ahead.replace(/^-/, "").trim() === ""
      ? tags
      : ahead.includes("|")
        ? []
        : names
  const wanted = word.toLowerCase()
  const found = offered.filter((one) => one.toLowerCase().startsWith(wanted) && one !== word)
  const others = offered.filter(
    (one) => !found.includes(one) && one.toLowerCase().includes(wanted) && one !== word
  )
  const options = [...found, ...(wanted === "" ? [] : others)].slice(0, maxOptions)
  return options.length === 0 ? null : { from: caret - word.length, options }
}
