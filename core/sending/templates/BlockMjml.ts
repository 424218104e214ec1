/**
 * Converts documents of the visual composer to MJML, which mail programs display alike. Liquid stays unchanged, and all other
 * text is escaped.
 *
 * @module
 */
import { contrastOf, lightenedOn, onColor } from "../../images/Contrast.ts"
import { escapeHtml as escape } from "./Preheader.ts"
import type { BlockColors, BlockDocument, SimpleBlock } from "./BlockDocument.ts"

const closers: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}" }

/** The Liquid outputs and tags of a text, and the text between them, in order. */
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

/** Escapes a text for an attribute or an element. */
const plain = (text: string): string =>
  [...partsOf(text)].map((part) => (part.isLiquid ? part.text : escape(part.text))).join("")

/** Replaces Liquid while markup is converted. It cannot occur in a stored text. */
const mark = "\0"

const emphasis = /\*([^*\n]{1,2000})\*/g
const strong = /\*\*([^*\n]{1,2000})\*\*/g
const link = /\[([^[\]\n]{1,2000})\]\(([^()\s*]{1,2000})\)/g

/** Converts a text with markup to HTML: paragraphs, lines, `**strong**`, `*emphasis*` and `[label](address)`. */
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

/** The colours in which mail programs in dark mode show an email, unless its surface is dark already. */
const dark = {
  background: "#14171a",
  surface: "#1f2428",
  text: "#e7e9ec",
  soft: "#a8b1bb",
  line: "#3b434b"
} as const

/** The contrast below which text is hard to read. */
const leastContrast = 4.5

/** The colour of small print. */
const softOn = (background: string): string =>
  contrastOf("#5b6675", background) >= leastContrast ? "#5b6675" : onColor(background)

/** The colour of lines. */
const lineColor = "#d5dae1"

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
      return `<mj-divider css-class="line" border-width="1px" border-color="${lineColor}" />`
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
      const soft = softOn(colors.background)
      const style = `style="color:${soft}"`
      const links = [
        block.unsubscribe === null
          ? []
          : `<a href="{{ unsubscribeUrl }}" ${style}>${plain(block.unsubscribe)}</a>`,
        block.preferences === null
          ? []
          : `<a href="{{ preferencesUrl }}" ${style}>${plain(block.preferences)}</a>`
      ].flat()
      const lines = [rich(block.text, soft), links.join(" &middot; ")].filter((line) => line !== "")
      return `<mj-text css-class="soft" align="${alignOf[block.align]}" font-size="13px" line-height="20px" color="${soft}">${lines.join("<br />")}</mj-text>`
    }
  }
}

/** A column of blocks, followed by further MJML. */
export const columnMjml = (
  blocks: ReadonlyArray<SimpleBlock>,
  colors: BlockColors,
  ...more: ReadonlyArray<string>
): string =>
  `<mj-column>\n${[...blocks.map((block) => simpleMjml(block, colors)), ...more].join("\n")}\n</mj-column>`

/** A section either on the surface, which is a card on the background, or directly on the background, like small print. */
interface Part {
  readonly isCard: boolean
  readonly content: string
}

/** Consecutive blocks in one column form one part. */
const partsOfBlocks = ({ blocks, colors }: BlockDocument): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let together: Array<SimpleBlock> = []
  let isCard = true
  const close = () => {
    if (together.length > 0) parts.push({ isCard, content: columnMjml(together, colors) })
    together = []
  }
  for (const block of blocks) {
    if (block.kind === "Columns") {
      close()
      parts.push({ isCard: true, content: block.columns.map((one) => columnMjml(one, colors)).join("\n") })
      continue
    }
    const isOnCard = block.kind !== "Footer"
    if (isOnCard !== isCard) close()
    isCard = isOnCard
    together.push(block)
  }
  close()
  return parts
}

/** The corner radius of a card, which is applied at its beginning and its end. */
const radius = "12px"

const sectionOf = (
  { content, isCard }: Part,
  colors: BlockColors,
  isFirst: boolean,
  isLast: boolean
): string => {
  if (!isCard) return `<mj-section padding="8px 16px">\n${content}\n</mj-section>`
  const [top, bottom] = [isFirst ? radius : "0", isLast ? radius : "0"]
  const padding = `${isFirst ? "22px" : "0"} 16px ${isLast ? "22px" : "0"}`
  const corners = isFirst || isLast ? ` border-radius="${top} ${top} ${bottom} ${bottom}"` : ""
  return `<mj-section css-class="card" background-color="${colors.surface}" padding="${padding}"${corners}>\n${content}\n</mj-section>`
}

/**
 * The head of an email, with its colours and its dark mode. Programs that do not change colours themselves (Apple Mail) follow
 * the rules. Declaring support for both modes prevents others from changing the colours. A dark surface stays unchanged.
 */
export const headMjml = ({ accent, surface, text }: BlockColors): string => {
  const isDark = onColor(surface) === "#ffffff"
  const rules = [
    `body, .page { background-color: ${dark.background} !important; }`,
    `.card, .card > table { background: ${dark.surface} !important; }`,
    `.ink div, .ink table { color: ${dark.text} !important; }`,
    `.ink a { color: ${lightenedOn(accent, dark.surface, leastContrast)} !important; }`,
    `.soft div, .soft a { color: ${dark.soft} !important; }`,
    `.line p { border-color: ${dark.line} !important; }`
  ]
  return `<mj-head>
<mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>
<mj-attributes>
<mj-all font-family="-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" />
<mj-text css-class="ink" font-size="16px" line-height="26px" color="${text}" />
<mj-table css-class="ink" font-size="16px" line-height="26px" color="${text}" />
<mj-button background-color="${accent}" color="${onColor(accent)}" border-radius="8px" font-size="16px" font-weight="bold" inner-padding="13px 24px" />
</mj-attributes>
<mj-style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
${isDark ? "" : `@media (prefers-color-scheme: dark) {\n${rules.join("\n")}\n}\n`}</mj-style>
</mj-head>`
}

/** The body of an email: its parts, one below the other. */
export const bodyMjml = (parts: ReadonlyArray<Part>, colors: BlockColors): string => {
  const sections = parts.map((part, at) =>
    sectionOf(part, colors, parts[at - 1]?.isCard !== true, parts[at + 1]?.isCard !== true)
  )
  return `<mj-body background-color="${colors.background}" css-class="page">
<mj-spacer height="24px" />
${sections.join("\n")}
<mj-spacer height="24px" />
</mj-body>`
}

/** The MJML of a document. */
export const blocksMjml = (document: BlockDocument): string =>
  `<mjml>\n${headMjml(document.colors)}\n${bodyMjml(partsOfBlocks(document), document.colors)}\n</mjml>\n`
