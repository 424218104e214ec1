/**
 * Shows the clicks of links on the rendered email itself. A stylesheet marks each link with its number and clicks, so the email
 * need not be parsed.
 *
 * @module
 */

/** A link with its number of clicks by people. */
export interface ClickedLink {
  readonly number: number | null
  readonly url: string | null
  /** The text beside the number. */
  readonly label: string
}

/** A CSS string inside an HTML element. Characters that could end the string or the element are escaped. */
const cssString = (text: string): string =>
  `"${text.replaceAll(/["\\<>&\n\r\f]/g, (character) => `\\${character.codePointAt(0)!.toString(16)} `)}"`

const badge =
  "display:inline-block!important;margin:0 4px!important;padding:2px 6px!important;border-radius:6px!important;" +
  "background:#1f4fd8!important;color:#fff!important;font:600 12px/16px system-ui,sans-serif!important;" +
  "text-decoration:none!important;white-space:nowrap!important"

/**
 * The CSS string that matches a link's address as written in the template. The preview renders its Liquid just as it renders the
 * link's. Null if the parts outside `{{ }}` need escaping, or if the address contains a Liquid tag.
 */
const addressString = (url: string): string | null => {
  if (url.includes("{%")) return null
  const parts = url.split(/(\{\{.*?\}\})/s)
  const isPlain = parts.every((part, index) => index % 2 === 0 || cssString(part) === `"${part}"`)
  return isPlain
    ? `"${parts.map((part, index) => (index % 2 === 0 ? cssString(part).slice(1, -1) : part)).join("")}"`
    : null
}

/** The `style` element with the rules; empty if no link can be matched. */
export const markedLinks = (links: ReadonlyArray<ClickedLink>): string => {
  const rules = links.flatMap(({ label, number, url }) => {
    const address = url === null ? null : addressString(url)
    return number === null || address === null
      ? []
      : [`a[href=${address}]::after{content:${cssString(`${number}: ${label}`)};${badge}}`]
  })
  return rules.length === 0 ? "" : `<style>${rules.join("\n")}</style>`
}
