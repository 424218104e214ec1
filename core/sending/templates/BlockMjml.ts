/**
 * Turns documents of the visual composer into MJML, which mail programs show alike. Liquid stays as it is; every other text
 * is escaped.
 *
 * @module
 */
import { onColor } from "../../images/Contrast.ts"
import { escapeHtml as escape } from "./Preheader.ts"
import type { Block, BlockColors, BlockDocument, SimpleBlock } from "./BlockDocument.ts"

const closers: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}" }

/** The outputs and tags of a text, and what is between them, in order. */
function* partsOf(text: string): Generator<{ readonly isLiquid: boolean; readonly text: string }> {
  let from = 0
  const open = /\{[{%]/g
  for (let match = open.exec(text); match !== null; match = open.exec(text)) {
    const close = text.indexOf(closers[match[0]]!, open.lastIndex)
    if (close === -1) break
    yield { isLiquid: false, text: text.slice(from, match.index) }
    from = close + 2
    yield { isLiquid: true, text: text.slice(match.index, from) }
    open.lastIndex = from
  }
  yield { isLiquid: false, text: text.slice(from) }
}

/** A text for an attribute or within an element. */
const plain = (text: string): string =>
  [...partsOf(text)].map((part) => (part.isLiquid ? part.text : escape(part.text))).join("")

/** Stands for Liquid while marks are replaced. It cannot be in a text that is stored. */
const mark = "\0"

const emphasis = /\*([^*\n]{1,2000})\*/g
const strong = /\*\*([^*\n]{1,2000})\*\*/g
const link = /\[([^[\]\n]{1,2000})\]\(([^()\s*]{1,2000})\)/g

/** A text with marks as HTML: paragraphs, lines, `**strong**`, `*emphasis*` and `[label](address)`. */
const rich = (text: string, accent: string): string => {
  const liquid: Array<string> = []
  const masked = [...partsOf(text.replaceAll("\r\n", "\n"))]
    .map((part) => (part.isLiquid ? `${mark}${liquid.push(part.text) - 1}${mark}` : escape(part.text)))
    .join("")
  const html = masked
    .replaceAll(link, (whole, label: string, href: string) =>
      /^(?:https?:\/\/|mailto:|tel:|\0)/i.test(href)
        ? `<a href="${href}" style="color:${accent}">${label}</a>`
        : whole
    )
    .replaceAll(strong, "<strong>$1</strong>")
    .replaceAll(emphasis, "<em>$1</em>")
    .trim()
    .replaceAll(/\n{2,}/g, "<br /><br />")
    .replaceAll("\n", "<br />")
  return html.replaceAll(/\0(\d+)\0/g, (_, index: string) => liquid[Number(index)]!)
}

const alignOf = { Start: "left", Center: "center", End: "right" } as const

const headings = { 1: ["28px", "36px"], 2: ["22px", "30px"], 3: ["18px", "26px"] } as const

const itemOf = (id: string, name: string): string => `{{ item["${id}"].${name} }}`

const simpleMjml = (block: SimpleBlock, colors: BlockColors): string => {
  switch (block.kind) {
    case "Heading": {
      const [size, height] = headings[block.level]
      const tag = `h${block.level}`
      const style = `margin:0;font-size:${size};line-height:${height};font-weight:bold`
      return `<mj-text align="${alignOf[block.align]}"><${tag} style="${style}">${rich(block.text, colors.accent)}</${tag}></mj-text>`
    }
    case "Text":
      return `<mj-text align="${alignOf[block.align]}">${rich(block.text, colors.accent)}</mj-text>`
    case "Image": {
      const href = block.href === null ? "" : ` href="${plain(block.href)}"`
      const width = block.width === null ? "" : ` width="${block.width}px"`
      return `<mj-image src="${plain(block.url)}" alt="${plain(block.alt)}" align="${alignOf[block.align]}"${href}${width} />`
    }
    case "Button":
      return `<mj-button href="${plain(block.href)}" align="${alignOf[block.align]}">${plain(block.label)}</mj-button>`
    case "Divider":
      return `<mj-divider border-width="1px" border-color="#d5dae1" />`
    case "Spacer":
      return `<mj-spacer height="${block.height}px" />`
    case "Product": {
      const { itemId, label } = block
      return [
        `<mj-raw>{% if item["${itemId}"] %}</mj-raw>`,
        `<mj-image src="${itemOf(itemId, "imageUrl")}" alt="${itemOf(itemId, "name")}" href="${itemOf(itemId, "url")}" />`,
        `<mj-text><strong>${itemOf(itemId, "name")}</strong><br />${itemOf(itemId, "price")} ${itemOf(itemId, "currency")}</mj-text>`,
        `<mj-button href="${itemOf(itemId, "url")}" align="left">${plain(label)}</mj-button>`,
        `<mj-raw>{% endif %}</mj-raw>`
      ].join("\n")
    }
    case "Social": {
      const links = block.links.map(
        ({ href, name }) => `<a href="${plain(href)}" style="color:${colors.accent}">${plain(name)}</a>`
      )
      return `<mj-text align="${alignOf[block.align]}">${links.join(" &middot; ")}</mj-text>`
    }
    case "Footer": {
      const style = `style="color:#5b6675"`
      const links = [
        block.unsubscribe === null
          ? []
          : `<a href="{{ unsubscribeUrl }}" ${style}>${plain(block.unsubscribe)}</a>`,
        block.preferences === null
          ? []
          : `<a href="{{ preferencesUrl }}" ${style}>${plain(block.preferences)}</a>`
      ].flat()
      const lines = [rich(block.text, "#5b6675"), links.join(" &middot; ")].filter((line) => line !== "")
      return `<mj-text align="${alignOf[block.align]}" font-size="13px" line-height="20px" color="#5b6675">${lines.join("<br />")}</mj-text>`
    }
  }
}

const section = (content: string, background: string): string =>
  `<mj-section background-color="${background}" padding="8px 16px">\n${content}\n</mj-section>`

const column = (blocks: ReadonlyArray<SimpleBlock>, colors: BlockColors): string =>
  `<mj-column>\n${blocks.map((block) => simpleMjml(block, colors)).join("\n")}\n</mj-column>`

/** Blocks that follow each other in one column are one section. */
const sectionsOf = ({ blocks, colors }: BlockDocument): ReadonlyArray<string> => {
  const sections: Array<string> = []
  let together: Array<SimpleBlock> = []
  let background = colors.surface
  const close = () => {
    if (together.length > 0) sections.push(section(column(together, colors), background))
    together = []
  }
  const backgroundOf = ({ kind }: Block) => (kind === "Footer" ? colors.background : colors.surface)
  for (const block of blocks) {
    if (block.kind === "Columns") {
      close()
      const columns = block.columns.map((one) => column(one, colors)).join("\n")
      sections.push(section(columns, colors.surface))
      continue
    }
    if (backgroundOf(block) !== background) close()
    background = backgroundOf(block)
    together.push(block)
  }
  close()
  return sections
}

/** The MJML of a document. */
export const blocksMjml = (document: BlockDocument): string => {
  const { accent, background, text } = document.colors
  return `<mjml>
<mj-head>
<mj-attributes>
<mj-all font-family="Helvetica, Arial, sans-serif" />
<mj-text font-size="16px" line-height="24px" color="${text}" />
<mj-button background-color="${accent}" color="${onColor(accent)}" border-radius="6px" font-size="16px" inner-padding="12px 24px" />
</mj-attributes>
</mj-head>
<mj-body background-color="${background}">
${sectionsOf(document).join("\n")}
</mj-body>
</mjml>
`
}
