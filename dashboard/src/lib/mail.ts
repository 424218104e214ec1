/**
 * Extracts parts of an email for display: its header fields, and the links of its HTML.
 *
 * @module
 */

/** A header field. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** The most characters of a message that are searched for header fields. */
const headerLimit = 200_000

/** The header fields of a raw message, in order and unfolded. */
export const headersOf = (raw: string): ReadonlyArray<HeaderField> => {
  const fields: Array<HeaderField> = []
  for (const line of raw
    .slice(0, headerLimit)
    .split("\n")
    .map((one) => one.replace(/\r$/, ""))) {
    if (line === "") break
    const last = fields.at(-1)
    if (/^[ \t]/.test(line) && last !== undefined) {
      fields[fields.length - 1] = { name: last.name, value: `${last.value} ${line.trim()}` }
      continue
    }
    const colon = line.indexOf(":")
    if (colon > 0) fields.push({ name: line.slice(0, colon), value: line.slice(colon + 1).trim() })
  }
  return fields
}

/** A link and its text. */
export interface MailLink {
  readonly url: string
  readonly text: string
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&nbsp;": " "
}

const decoded = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)

/** The value of the `href` attribute of a tag; null if it has none. */
const hrefOf = (tag: string): string | null => {
  const [, double, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag) ?? []
  return double ?? single ?? bare ?? null
}

/** The text of HTML, without its tags. */
const textOf = (html: string): string =>
  decoded(
    html
      .split("<")
      .map((part, at) => (at === 0 ? part : part.slice(part.indexOf(">") + 1)))
      .join(" ")
  )
    .replace(/\s+/g, " ")
    .trim()

/** The links of HTML, in order and including repeated ones. Takes time linear in its length. */
export const linksOf = (html: string): ReadonlyArray<MailLink> =>
  html
    .split(/<a(?=\s)/i)
    .slice(1)
    .flatMap((part) => {
      const end = part.indexOf(">")
      const url = hrefOf(end === -1 ? part : part.slice(0, end))
      if (url === null) return []
      const rest = end === -1 ? "" : part.slice(end + 1)
      const close = rest.search(/<\/a/i)
      return [{ url: decoded(url), text: textOf(close === -1 ? "" : rest.slice(0, close)) }]
    })

/** Whether HTML may load images from other servers. */
export const mayHaveImages = (html: string): boolean => /<img|url\(|background/i.test(html)
