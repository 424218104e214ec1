/**
 * The preheader of an email: a text that mail programs show beside the subject, hidden at the beginning of the HTML.
 *
 * @module
 */

const style = "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all"

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Escapes a text for HTML, or for an attribute in double quotes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => escapes[character]!)

/** The index after the start tag of the body; 0 if there is none. */
const bodyStart = (html: string): number => {
  const found = /<body[\s>]/i.exec(html)
  if (found === null) return 0
  const end = html.indexOf(">", found.index)
  return end === -1 ? 0 : end + 1
}

/** Returns HTML that begins with a hidden preheader; the same HTML without a preheader. */
export const withPreheader = (html: string | null, preheader: string | null): string | null => {
  if (html === null || preheader === null || preheader === "") return html
  const at = bodyStart(html)
  return `${html.slice(0, at)}<div style="${style}">${escapeHtml(preheader)}</div>${html.slice(at)}`
}
