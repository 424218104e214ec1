/**
 * Adds links to a contact's own pages to marketing emails whose author included none.
 *
 * @module
 */
import { pageLanguage, pageTexts } from "../../audience/pages/PageLanguages.ts"
import type { OwnTexts } from "../../model/Account.ts"
import { escapeHtml } from "./Preheader.ts"

/** The absolute URLs of the contact's own pages in an email. */
export interface EmailLinks {
  readonly unsubscribe: string
  readonly preferences: string
}

/** The bodies of a rendered email. */
interface Bodies {
  readonly html: string | null
  readonly text: string | null
}

/** Appends an unsubscribe link to each body that has none, in the reader's language and with the company's texts. */
export const withUnsubscribeLink = <Content extends Bodies>(
  content: Content,
  { preferences, unsubscribe }: EmailLinks,
  language: string | null,
  own: OwnTexts
): Content => {
  const { html, text } = content
  const { links } = pageTexts(pageLanguage(own, language), own)
  const [stop, choose] = [escapeHtml(links.unsubscribe), escapeHtml(links.preferences)]
  // ASCII, so that a text part made of ASCII HTML needs no encoding.
  const footer =
    `<p style="margin:32px 0 0;font-size:12px;line-height:18px;color:#666666">` +
    `<a href="${unsubscribe}" data-no-track style="color:#666666">${stop}</a> | ` +
    `<a href="${preferences}" data-no-track style="color:#666666">${choose}</a></p>`
  const at = Array.from(html?.matchAll(/<\/body\s*>/gi) ?? []).at(-1)?.index ?? -1
  return {
    ...content,
    html:
      html === null || html.includes(unsubscribe)
        ? html
        : at === -1
          ? html + footer
          : html.slice(0, at) + footer + html.slice(at),
    // An empty text stays empty: the email has no text part.
    text:
      text === null || text === "" || text.includes(unsubscribe)
        ? text
        : `${text}\n\n--\n${links.unsubscribe}: ${unsubscribe}\n`
  }
}

/** The headers by which mail programs offer to unsubscribe (RFC 2369, and RFC 8058 for one-click). */
export const unsubscribeHeaders = ({ unsubscribe }: EmailLinks) => [
  { name: "List-Unsubscribe", value: `<${unsubscribe}>` },
  { name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" }
]
