/**
 * Renders the list of an account's archive, and its feed (RSS 2.0).
 *
 * @module
 */
import { pageLanguage } from "../../../../core/audience/pages/PageLanguages.ts"
import type { ArchiveView } from "../../../../core/campaigns/PublicArchive.ts"
import { html } from "./html.ts"
import { publicDocument } from "./layout.ts"

/** The name of the feed in an archive. */
export const feedName = "feed.xml"

const feedUrl = ({ url }: ArchiveView): string => `${url}/${feedName}`

/** A page of the list, with links to the previous and the next page. */
export const archiveList = (view: ArchiveView): string => {
  const { brand, campaigns, description, hasNext, language, page, title, url } = view
  const link = (to: number, rel: "next" | "prev") =>
    html`<a rel="${rel}" href="${url}?p=${`${to}`}">${`${to}`}</a> `
  return publicDocument(
    title,
    html`<link rel="alternate" type="application/rss+xml" title="${title}" href="${feedUrl(view)}" />`,
    html`${description === null ? html`` : html`<p>${description}</p>`}
      ${campaigns.map(
        (one) => html`
          <h2><a href="${one.url}">${one.title}</a></h2>
          <p class="soft"><time datetime="${dateOf(one.at)}">${dateOf(one.at)}</time></p>
          ${one.summary === null ? html`` : html`<p>${one.summary}</p>`}
        `
      )}
      <nav>
        ${page > 1 ? link(page - 1, "prev") : html``} ${hasNext ? link(page + 1, "next") : html``}
        <a href="${feedUrl(view)}">RSS</a>
      </nav>`,
    pageLanguage(brand.pageTexts, language),
    brand
  )
}

/** Characters that XML cannot represent (XML 1.0, 2.2). */
const forbidden = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** The feed of an archive. */
export const archiveFeed = ({ campaigns, description, language, title, url }: ArchiveView): string => {
  const items = campaigns.map(
    (one) =>
      html`<item
      ><title>${one.title}</title><link>${one.url}</link><guid>${one.url}</guid
      ><pubDate>${new Date(one.at).toUTCString()}</pubDate>${
        one.summary === null ? html`` : html`<description>${one.summary}</description>`
      }</item
    >`
  )
  const channel = html`<channel
    ><title>${title}</title><link>${url}</link><description>${description ?? title}</description
    ><language>${language}</language>${items}</channel
  >`
  return `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">${channel.markup.replaceAll(forbidden, "")}</rss>\n`
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
