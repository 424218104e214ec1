/**
 * Shows the clicks of links on the email itself: rules of a stylesheet that mark each link with its number and its clicks, so
 * that the email need not be parsed.
 *
 * @module
 */

/** A link with its clicks, by people. */
export interface ClickedLink {
  readonly number: number | null
  readonly url: string | null
  /** What is shown beside the number. */
  readonly label: string
}

/** A string of a stylesheet in an element of HTML: what could end either is escaped. */
const cssString = (text: string): string =>
  `"${text.replaceAll(/["\\<>&\n\r\f]/g, (character) => `\\${character.codePointAt(0)!.toString(16)} `)}"`

const badge =
  "display:inline-block!important;margin:0 4px!important;padding:2px 6px!important;border-radius:6px!important;" +
  "background:#1f4fd8!important;color:#fff!important;font:600 12px/16px system-ui,sans-serif!important;" +
  "text-decoration:none!important;white-space:nowrap!important"

/**
 * The string of an address as it is written, which the preview renders as it renders the link; null where a rule cannot have
 * what rendering replaces in it.
 */
const addressString = (url: string): string | null => {
  if (url.includes("{%")) return null
  const parts = url.split(/(\{\{.*?\}\})/s)
  const isPlain = parts.every((part, index) => index % 2 === 0 || cssString(part) === `"${part}"`)
  return isPlain
    ? `"${parts.map((part, index) => (index % 2 === 0 ? cssString(part).slice(1, -1) : part)).join("")}"`
    : null
}

/** The element with the rules; empty without links that rules can have. */
export const markedLinks = (links: ReadonlyArray<ClickedLink>): string => {
  const rules = links.flatMap(({ label, number, url }) => {
    const address = url === null ? null : addressString(url)
    return number === null || address === null
      ? []
      : [`a[href=${address}]::after{content:${cssString(`${number}: ${label}`)};${badge}}`]
  })
  return rules.length === 0 ? "" : `<style>${rules.join("\n")}</style>`
}
