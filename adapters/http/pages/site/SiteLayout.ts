/**
 * Lays out the pages of the documentation: the head, the navigation, and headers that forbid external resources.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { productName } from "../../../../core/kernel/Names.ts"
import { Html, html } from "../hosted/html.ts"
import { indexPage } from "./SiteContents.ts"
import { pageHref, type Place } from "./SiteLinks.ts"
import type { Heading } from "./SiteMarkdown.ts"
import { style } from "./SiteStyle.ts"

/** A page in a list of pages. */
export interface PageEntry {
  readonly name: string
  readonly title: string
}

/** The content of a page. */
export interface PageView {
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly place: Place
  readonly content: Html
  readonly headings: ReadonlyArray<Heading>
  readonly sections: ReadonlyArray<{ readonly title: string; readonly pages: ReadonlyArray<PageEntry> }>
}

const styleHash = createHash("sha256").update(style, "utf8").digest("base64")

const common = {
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
}

const ofEvery = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers of a page without scripts. It loads only the icon. */
export const bareHeaders = {
  ...common,
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; ${ofEvery}`
}

/** Headers of a page. It uses scripts and requests of this origin only, and no script may create markup from strings. */
export const pageHeaders = {
  ...common,
  "content-security-policy":
    `default-src 'none'; script-src 'self'; style-src 'sha256-${styleHash}'; img-src 'self'; connect-src 'self'; ` +
    `require-trusted-types-for 'script'; trusted-types 'none'; ${ofEvery}`
}

/** Headers of the page with the viewer. It uses scripts, styles and requests of this origin only. */
export const viewerHeaders = {
  ...common,
  "content-security-policy":
    `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${styleHash}'; img-src 'self' data:; ` +
    `connect-src 'self'; ${ofEvery}`
}

const styleElement = new Html(`<style>${style}</style>`)

const navigation = ({ headings, name, place, sections }: PageView): Html => {
  const parts = headings.filter(({ depth }) => depth === 2)
  const inner = (page: string): Html =>
    page !== name || parts.length < 2
      ? html``
      : html`<ul>
          ${parts.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>`)}
        </ul>`
  const item = (page: PageEntry): Html =>
    html`<li>
      <a href="${pageHref(page.name, place)}" ${new Html(page.name === name ? ' aria-current="page"' : "")}
        >${page.title}</a
      >${inner(page.name)}
    </li>`
  return html`${sections.map(
    ({ pages, title }) =>
      html`<p>${title}</p>
        <ul>
          ${pages.map(item)}
        </ul>`
  )}`
}

const turnLinks = ({ name, place, sections }: PageView): Html => {
  const pages = sections.flatMap((section) => section.pages)
  const at = pages.findIndex((page) => page.name === name)
  const before = pages[at - 1]
  const after = pages[at + 1]
  return html`<nav class="turn" aria-label="Neighbouring pages">
    ${before === undefined ? html`` : html`<a href="${pageHref(before.name, place)}">← ${before.title}</a>`}
    ${after === undefined ? html`` : html`<a href="${pageHref(after.name, place)}">${after.title} →</a>`}
  </nav>`
}

/** The icon and the styles, for the head of a page. `base` is the relative path to the base URL, ending with a slash. */
const shared = (base: string): Html =>
  html`<link rel="icon" type="image/svg+xml" href="${base}favicon.svg" /> ${styleElement}`

/** A page at the base URL, without navigation. */
export const bareLayout = ({
  content,
  summary,
  title
}: Pick<PageView, "content" | "summary" | "title">): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <meta name="description" content="${summary}" />
        ${shared("")}
      </head>
      <body class="bare">
        <main id="content">${content}</main>
      </body>
    </html> `.markup

/** A whole page. `viewer` has the markup that the page with the viewer adds to its head and its end. */
export const layout = (view: PageView, viewer?: { readonly head: Html; readonly end: Html }): string => {
  const { content, name, place, summary, title } = view
  const links = navigation(view)
  const home = pageHref(indexPage, place)
  const markdown = name === indexPage && place === "under" ? "index.md" : `${pageHref(name, place)}.md`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${name === indexPage ? title : `${title} · ${productName}`}</title>
        <meta name="description" content="${summary}" />
        <link rel="alternate" type="text/markdown" href="${markdown}" />
        ${shared(place === "root" ? "" : "../")} ${viewer?.head ?? html``}
      </head>
      <body${new Html(viewer === undefined ? "" : ' class="wide"')}>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
          <details class="menu">
            <summary>Menu</summary>
            <nav aria-label="Pages">${links}</nav>
          </details>
          <a class="home" href="${home}">${productName}</a>
          <div class="search" role="search" hidden>
            <input
              type="search"
              placeholder="Search"
              aria-label="Search the documentation"
              aria-keyshortcuts="/"
              role="combobox"
              aria-expanded="false"
              aria-controls="found"
              aria-autocomplete="list"
              autocomplete="off"
              spellcheck="false"
              maxlength="200"
            />
            <ul id="found" role="listbox" aria-label="Results" hidden></ul>
          </div>
          <span class="to"
            ><a href="${pageHref("quick-start", place)}">Quick start</a
            ><a href="${pageHref("reference", place)}">API</a></span
          >
        </header>
        <div class="frame">
          <nav class="side" aria-label="Pages">${links}</nav>
          <main id="content">
            ${content}
            ${turnLinks(view)}
            <footer><a href="${markdown}">This page as Markdown</a></footer>
          </main>
        </div>
        <script type="module" src="${place === "root" ? "docs/" : ""}assets/site.js"></script>
        ${viewer?.end ?? html``}
      </body>
    </html> `.markup
}
