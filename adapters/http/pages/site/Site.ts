/**
 * Renders the documentation site from its sources, as HTML and as Markdown. Each page is rendered at its first request.
 *
 * @module
 */
import { type Html, html } from "../hosted/html.ts"
import { indexPage, referencePage, sections } from "./SiteContents.ts"
import { fillIn } from "./SiteGenerated.ts"
import { layout, type PageView } from "./SiteLayout.ts"
import { type Place, placeMarkdown } from "./SiteLinks.ts"
import { firstSentenceOf, renderMarkdown, sectionsOf, summaryOf, titleOf } from "./SiteMarkdown.ts"
import type { Searchable } from "./SiteSearch.ts"
import type { Asset, Sources } from "./SiteSources.ts"

/** The site. Its functions return null for a page or file that does not exist. */
export interface Site {
  readonly index: (form: "html" | "markdown") => string
  readonly html: (name: string, place: Place) => string | null
  readonly markdown: (name: string, place: Place) => string | null
  readonly asset: (file: string) => Asset | null
  /** The page for an unknown path. */
  readonly notFound: () => string
  /** A list of all pages for programs (llmstxt.org). */
  readonly llms: () => string
  /** All pages in one document, for programs. */
  readonly llmsFull: () => string
  /** The text of all pages by section, for searching. */
  readonly searchable: () => ReadonlyArray<Searchable>
}

const viewer = {
  head: html`<link rel="stylesheet" href="assets/swagger-ui.css" />
    <link rel="stylesheet" href="assets/reference.css" />`,
  end: html`<script src="assets/swagger-ui-bundle.js"></script>
    <script src="assets/reference.js"></script>`
}

/** Marks the position of a viewer in the source of the reference, and names its content. The Markdown omits it. */
const viewerMarker = /<!-- viewer: ([\w./-]+) -->\n\n/g

const viewerOf = (definition: string): Html =>
  html`<div class="viewer" data-definition="${definition}"></div>`

const lost = "# Page not found\n\nThe documentation has no page of this address. The menu lists all pages."

/** Makes the site from its sources. */
export const makeSite = ({ assets, pages }: Sources): Site => {
  const kept = new Map<string, string>()
  const once = (key: string, make: () => string): string => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make()
    kept.set(key, made)
    return made
  }
  const source = (name: string): string | null => {
    const listed = name === indexPage || sections.some((section) => section.pages.includes(name))
    return listed ? (pages.get(name) ?? null) : null
  }
  const titled = sections.map(({ pages: names, title }) => ({
    title,
    pages: names.map((name) => ({ name, title: titleOf(source(name) ?? "") }))
  }))
  const listOf = (hrefOf: (name: string) => string): string =>
    titled
      .map(({ pages: entries, title }) => {
        const lines = entries.map(
          ({ name, title: own }) => `- [${own}](${hrefOf(name)}): ${firstSentenceOf(source(name) ?? "")}`
        )
        return `## ${title}\n\n${lines.join("\n")}`
      })
      .join("\n\n")
  const filled = (name: string): string | null => {
    const found = source(name)
    return found === null
      ? null
      : once(`${name}.md`, () =>
          fillIn(found.replaceAll(viewerMarker, ""), {
            contents: () => listOf((page) => `${page}.md`)
          })
        )
  }

  const viewOf = (name: string, markdown: string, place: Place): PageView => ({
    name,
    place,
    title: titleOf(markdown),
    summary: summaryOf(markdown),
    sections: titled,
    ...renderMarkdown(markdown, place)
  })
  const show = (name: string, place: Place): string | null => {
    const markdown = filled(name)
    if (markdown === null) return null
    return once(`${place} ${name}`, () => {
      if (name !== referencePage) return layout(viewOf(name, markdown, place))
      // Text, alternating with the definitions that the markers name.
      const parts = (source(name) ?? "").split(viewerMarker).map((part, at) => {
        if (at % 2 === 1) return { content: viewerOf(part), headings: [] }
        return renderMarkdown(fillIn(part), place)
      })
      return layout(
        {
          ...viewOf(name, markdown, place),
          content: html`${parts.map(({ content }) => content)}`,
          headings: parts.flatMap(({ headings }) => headings)
        },
        viewer
      )
    })
  }
  const markdown = (name: string, place: Place): string | null => {
    const text = filled(name)
    return text === null ? null : once(`${place} ${name}.md`, () => placeMarkdown(text, place))
  }

  const listed = [indexPage, ...sections.flatMap(({ pages: names }) => names)]

  return {
    html: show,
    markdown,
    index: (form) => (form === "html" ? show(indexPage, "root") : markdown(indexPage, "root")) ?? "",
    asset: (file) => assets.get(file) ?? null,
    notFound: () => once("lost", () => layout(viewOf("not-found", lost, "under"))),
    llms: () =>
      once("llms", () => {
        const about = source(indexPage) ?? ""
        return `# ${titleOf(about)}\n\n> ${summaryOf(about)}\n\n${listOf((name) => `docs/${name}.md`)}\n`
      }),
    llmsFull: () =>
      once(
        "llms-full",
        () => listed.map((name) => (markdown(name, "root") ?? "").trim()).join("\n\n---\n\n") + "\n"
      ),
    searchable: () =>
      listed.flatMap((page) => {
        // The first page lists all others with their first sentences, so its own source is used.
        const text = (page === indexPage ? source(page) : filled(page)) ?? ""
        return sectionsOf(text).map((section) => ({ ...section, page, title: titleOf(text) }))
      })
  }
}
