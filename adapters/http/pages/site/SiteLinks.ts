/**
 * Rewrites links between pages. Sources link to each other as files (`contacts.md#erase`), so that the links also work in a
 * repository. Served pages have relative links, because a proxy may serve them under a path of its own.
 *
 * @module
 */
import { indexPage } from "./SiteContents.ts"

/** The path of a page: `/docs` itself, or under `/docs/`. */
export type Place = "root" | "under"

const toPage = /^([\w-]+)\.md(#.*)?$/

/** The relative URL of a page. */
export const pageHref = (name: string, place: Place): string => {
  if (name === indexPage) return place === "root" ? "docs" : "../docs"
  return place === "root" ? `docs/${name}` : name
}

/** Converts a link of a source to one for the HTML of a page. */
export const hrefOf = (href: string, place: Place): string => {
  const [, name, anchor = ""] = toPage.exec(href) ?? []
  if (name !== undefined) return pageHref(name, place) + anchor
  return place === "root" && href.startsWith("../") ? href.slice(3) : href
}

const toScreen = /^screens\/([\w-]+\.png)$/

/** The relative URL of a screenshot; null for other images. */
export const screenHref = (href: string, place: Place): string | null => {
  const [, file] = toScreen.exec(href) ?? []
  if (file === undefined) return null
  return place === "root" ? `docs/assets/${file}` : `assets/${file}`
}

/** The Markdown of a page with links relative to its path. The links in the source are relative to `/docs/`. */
export const placeMarkdown = (markdown: string, place: Place): string =>
  place === "under"
    ? markdown.replaceAll("](screens/", "](assets/")
    : markdown
        .replaceAll("](screens/", "](docs/assets/")
        .replaceAll(/\]\(([\w-]+\.md(?:#[^)\]]*)?)\)/g, "](docs/$1)")
        .replaceAll(/\]\(\.\.\/([^)\]]*)\)/g, "]($1)")
