/**
 * Names the links of emails, and tells of which link of a template each link of a rendered copy was made: where rendering makes
 * a URL, a mark follows it in the template, and is taken out of the copy.
 *
 * @module
 */
import type { Crypto } from "../../ports/Crypto.ts"
import type { TemplateLink } from "../../ports/HtmlRewriter.ts"

/** The hexadecimal digits of a link's name. */
export const linkDigits = 16

/**
 * Names a link among those of its email: a digest of its URL, which can hold secrets; of a campaign's link whose URL rendering
 * makes, of the URL as it was written.
 */
export const linkDigest = (crypto: Pick<Crypto["Service"], "sha256Hex">, url: string): string =>
  crypto.sha256Hex(url).slice(0, linkDigits)

/** A fragment: it stays at the end of a URL, whatever rendering makes of the rest. */
const markOf = (index: number): string => `#\uE000${index}\uE001`

/** Marks in html, also those that a filter encoded. */
const marks = /(?:#|%23)(?:\uE000|%EE%80%80)\d+(?:\uE001|%EE%80%81)/g
const markOfUrl = /^(.*)#%EE%80%80(\d+)%EE%80%81$/s

/** Whether a link leads to a page of the person's own, by the variable that its URL begins with. These are not tracked. */
const isOwnPage = (url: string): boolean =>
  /^\{\{-?\s*(?:variables\.)?(?:unsubscribeUrl|preferencesUrl|webVersionUrl)\b/.test(url)

/** The links of a template that are counted, in order: those that do not lead to a page of the person's own. */
export const countedLinks = <Link extends Pick<TemplateLink, "url">>(
  links: ReadonlyArray<Link>
): ReadonlyArray<Link> => links.filter(({ url }) => !isOwnPage(url))

/** A template with a mark after each URL that rendering makes parts of. */
export const markLinks = (
  template: string,
  links: ReadonlyArray<Pick<TemplateLink, "end" | "isRendered">>
): string => {
  let result = ""
  let from = 0
  for (const [index, { end, isRendered }] of links.entries()) {
    if (!isRendered) continue
    result += template.slice(from, end) + markOf(index)
    from = end
  }
  return result + template.slice(from)
}

/** Rendered html without its marks. */
export const withoutMarks = (html: string): string => html.replaceAll(marks, "")

/**
 * The URLs of a copy's links that were made of marked ones, each with the URL as it was written: of one URL that several were
 * made of, the first. A URL that a link without a mark has is left out.
 *
 * @param urls those of the rendered html, with marks
 */
export const writtenUrls = (
  urls: ReadonlyArray<string>,
  links: ReadonlyArray<Pick<TemplateLink, "url">>
): ReadonlyMap<string, string> => {
  const written = new Map<string, string>()
  const others = new Set<string>()
  for (const url of urls) {
    const [, made, index] = markOfUrl.exec(url) ?? []
    const link = index === undefined ? undefined : links[Number(index)]
    if (link === undefined) others.add(url)
    else if (!written.has(made!)) written.set(made!, link.url)
  }
  for (const url of others) written.delete(url)
  return written
}
