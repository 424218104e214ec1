/**
 * Converts Markdown, in GitHub's dialect, to HTML with an anchor on every heading. HTML within the Markdown is escaped.
 *
 * @module
 */
import { Marked, type Tokens } from "marked"
import { Html, html } from "../hosted/html.ts"
import { highlight } from "./SiteHighlight.ts"
import { hrefOf, type Place, screenHref } from "./SiteLinks.ts"

/** A heading that can be linked to. */
export interface Heading {
  readonly depth: number
  readonly text: string
  readonly anchor: string
}

/** The HTML of a page, and its headings. */
export interface RenderedMarkdown {
  readonly content: Html
  readonly headings: ReadonlyArray<Heading>
}

/** The anchor of a heading, as GitHub makes it: `API keys & limits` is `api-keys--limits`. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const textOf = (tokens: ReadonlyArray<Tokens.Generic>): string =>
  tokens
    .map((token) =>
      token.tokens === undefined ? String(token["text"] ?? "") : textOf(token.tokens as Array<Tokens.Generic>)
    )
    .join("")

/** Makes a function that gives each heading of a page a unique anchor. */
const makeAnchors = () => {
  const used = new Set<string>()
  return (text: string): string => {
    const wanted = anchorOf(text)
    let anchor = wanted
    for (let count = 1; used.has(anchor); count++) anchor = `${wanted}-${count}`
    used.add(anchor)
    return anchor
  }
}

/** The text below a heading, without markup. */
export interface SectionText {
  /** Empty for the text below the title of the page. */
  readonly heading: string
  readonly anchor: string
  readonly text: string
}

const wordsOf = (token: Tokens.Generic): string => {
  switch (token.type) {
    case "html":
    case "space":
      return ""
    case "list":
      return (token as Tokens.List).items.map(({ tokens }) => tokens.map(wordsOf).join(" ")).join(" ")
    case "table": {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows].flatMap((row) => row.map((cell) => textOf(cell.tokens))).join(" ")
    }
    case "blockquote":
      return (token as Tokens.Blockquote).tokens.map(wordsOf).join(" ")
    default:
      return textOf([token])
  }
}

/** The sections of a page, with the same anchors as in its HTML. */
export const sectionsOf = (markdown: string): ReadonlyArray<SectionText> => {
  const anchorFor = makeAnchors()
  const sections: Array<{ heading: string; anchor: string; texts: Array<string> }> = []
  for (const token of new Marked().lexer(markdown)) {
    if (token.type === "heading") {
      const { depth, tokens } = token as Tokens.Heading
      const text = textOf(tokens)
      const anchor = anchorFor(text)
      sections.push(
        depth === 1 ? { heading: "", anchor: "", texts: [] } : { heading: text, anchor, texts: [] }
      )
    } else sections.at(-1)?.texts.push(wordsOf(token))
  }
  return sections.map(({ texts, ...section }) => ({
    ...section,
    text: texts.join(" ").replaceAll(/\s+/g, " ").trim()
  }))
}

/** The first paragraph without markup, for search engines. */
export const summaryOf = (markdown: string): string => {
  const paragraph = new Marked().lexer(markdown).find((token) => token.type === "paragraph")
  return paragraph === undefined ? "" : textOf((paragraph as Tokens.Paragraph).tokens).replaceAll(/\s+/g, " ")
}

/** The first sentence of the first paragraph, for lists of pages. */
export const firstSentenceOf = (markdown: string): string => summaryOf(markdown).split(/(?<=[.!?]) /)[0] ?? ""

/** The first heading of a page. */
export const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1]?.trim() ?? ""

/** Renders a page for a path. */
export const renderMarkdown = (markdown: string, place: Place): RenderedMarkdown => {
  const headings: Array<Heading> = []
  const anchorFor = makeAnchors()
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ depth, tokens }) {
        const text = textOf(tokens)
        const anchor = anchorFor(text)
        headings.push({ depth, text, anchor })
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`
        const label = html`Link to ${text}`.markup
        return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}" aria-label="${label}">#</a>${inner}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return html`<a href="${hrefOf(href, place)}">${new Html(this.parser.parseInline(tokens))}</a>`.markup
      },
      code({ lang, text }) {
        // The language may be followed by a marker for the tests.
        const language = (lang ?? "").trim().split(" ")[0] || "text"
        const code = highlight(text, language)
        return (
          html`<div class="code">
            <pre tabindex="0" data-language="${language}"><code>${code}</code></pre>
          </div>`.markup + "\n"
        )
      },
      table({ header, rows }) {
        const labels = header.map((cell) => textOf(cell.tokens))
        // A narrow screen shows each row as a block with labelled cells. The roles keep it a table for assistive technology.
        const head = header.map(
          (cell) => `<th role="columnheader">${this.parser.parseInline(cell.tokens)}</th>`
        )
        const cellsOf = (row: ReadonlyArray<Tokens.TableCell>) =>
          row.map(
            (cell, index) =>
              html`<td role="cell" data-label="${labels[index] ?? ""}">
                ${new Html(this.parser.parseInline(cell.tokens))}
              </td>`.markup
          )
        const lines = rows.map((row) => `<tr role="row">${cellsOf(row).join("")}</tr>`)
        return (
          `<div class="table" tabindex="0"><table role="table"><thead role="rowgroup"><tr role="row">${head.join("")}</tr></thead>` +
          `<tbody role="rowgroup">${lines.join("\n")}</tbody></table></div>\n`
        )
      },
      html({ text }) {
        return html`${text}`.markup
      },
      image({ href, text }) {
        const source = screenHref(href, place)
        return source === null
          ? html`${text}`.markup
          : html`<img src="${source}" alt="${text}" loading="lazy" />`.markup
      }
    }
  })
  const content = marked.parse(markdown, { async: false })
  return { content: new Html(content), headings }
}
