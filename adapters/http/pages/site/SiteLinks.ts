/**
 * Links between pages. Sources link to each other as files (`contacts.md#erase`), which works in a repository too.
 * What is served links relatively, since a proxy may have the service under a path of its own.
 *
 * @module
 */
import { indexPage } from "./SiteContents.ts"

/** Where a page is shown: at `/docs`, or under `/docs/`. */
export type Place = "root" | "under"

const toPage = /^([\w-]+)\.md(#.*)?$/

/** Where a page is, seen from a place. */
export const pageHref = (name: string, place: Place): string => {
  if (name === indexPage) return place === "root" ? "docs" : "../docs"
  return place === "root" ? `docs/${name}` : name
}

/** A link of a source as the HTML of a page has it. */
export const hrefOf = (href: string, place: Place): string => {
  const [, name, anchor = ""] = toPage.exec(href) ?? []
  if (name !== undefined) return pageHref(name, place) + anchor
  return place === "root" && href.startsWith("../") ? href.slice(3) : href
}

/** The Markdown of a page with links as they are from its place; a source's own are those under `/docs/`. */
export const placeMarkdown = (markdown: string, place: Place): string =>
  place === "under"
    ? markdown
    : markdown
        .replaceAll(/\]\(([\w-]+\.md(?:#[^)\]]*)?)\)/g, "](docs/$1)")
        .replaceAll(/\]\(\.\.\/([^)\]]*)\)/g, "]($1)")
