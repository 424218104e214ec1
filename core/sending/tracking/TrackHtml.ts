/**
 * Adds open and click tracking to the HTML of emails.
 *
 * @module
 */
import type { Settings } from "../../model/Account.ts"
import { linkPaths } from "../../audience/pages/ContactLinks.ts"
import { type HtmlRewriter, maxBareHtml } from "../../ports/HtmlRewriter.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import type { Submission } from "../../model/Submission.ts"
import { makeClickTokens, makeOpenToken, makeTrapToken, type TrackingSigner } from "./TrackingTokens.ts"

/** The path of each kind of token, relative to the base URL. */
export const trackingPaths = { open: "/t/o", click: "/t/c" } as const

/** Longer links are left unchanged, since with a token they would exceed the length that mail programs can open. */
const maxUrl = 1500

const hostedPrefixes = Object.values(linkPaths).map((path) => `${path}/`)

/** The tools of the installation that tracking needs. */
export interface TrackingTools {
  readonly rewriter: HtmlRewriter["Service"]
  readonly signer: TrackingSigner
  readonly baseUrl: string
}

/** What is tracked in an email. */
export interface TrackingChoice {
  readonly opens: boolean
  readonly clicks: boolean
  /** Whether an email with click tracking contains the trap link, which people cannot see. */
  readonly trap?: boolean
}

/**
 * The tracking of an email: its own setting, otherwise its account's (docs/contributing/decisions.md 5). Only marketing email
 * has the trap link.
 */
export const trackingOf = (
  submission: Pick<Submission, "marketing" | "trackOpens" | "trackClicks">,
  settings: Pick<Settings, "tracking" | "trapLink">
): TrackingChoice => ({
  opens: submission.trackOpens ?? settings.tracking.opens,
  clicks: submission.trackClicks ?? settings.tracking.clicks,
  trap: settings.trapLink && submission.marketing !== null
})

/**
 * Returns the tracked HTML of one delivery. With `clicks`, its http and https links go through the service. With `opens`, an
 * image of one pixel is at the end of its body; in HTML of at most `maxBareHtml` characters it is a background image, which
 * not every program loads. With `clicks` and `trap`, a link precedes the image that people can neither see nor reach by
 * keyboard or screen reader. Unchanged without opens and clicks.
 *
 * @param linkNames the names of links that are not derived from their URLs, by URL
 */
export const trackHtml = (
  html: string,
  delivery: DeliveryRef,
  { clicks, opens, trap = false }: TrackingChoice,
  { baseUrl, rewriter, signer }: TrackingTools,
  linkNames?: ReadonlyMap<string, string>
): string => {
  if (!opens && !clicks) return html
  // Links to unsubscribe and preference pages are not tracked.
  const isTracked = (url: string): boolean =>
    clicks && url.length <= maxUrl && !hostedPrefixes.some((path) => url.startsWith(baseUrl + path))
  const linkOf = (urls: ReadonlyArray<string>) => {
    const tracked = new Set(urls.filter(isTracked))
    const tokenOf = makeClickTokens(signer, { delivery, opens, isPair: tracked.size === 2 })
    const byUrl = new Map(
      [...tracked].map((url) => [
        url,
        `${baseUrl}${trackingPaths.click}/${tokenOf(url, linkNames?.get(url))}`
      ])
    )
    return (url: string): string => byUrl.get(url) ?? url
  }
  const urlOf = (kind: keyof typeof trackingPaths, token: string): string =>
    attributeText(`${baseUrl}${trackingPaths[kind]}/${token}`)
  const hidden =
    clicks && trap
      ? `<a href="${urlOf("click", makeTrapToken(signer, { delivery, opens }))}" style="display:none" aria-hidden="true" tabindex="-1"></a>`
      : ""
  const pixel = opens ? pixelOf(urlOf("open", makeOpenToken(signer, delivery)), html.length) : ""
  return rewriter.rewrite(html, linkOf, hidden + pixel)
}

/**
 * The image that records opens. Spam filters rate a short document with an `img` as one without text, so there it is a
 * background image.
 */
const pixelOf = (url: string, length: number): string =>
  length > maxBareHtml
    ? `<img src="${url}" width="1" height="1" alt="" style="border:0">`
    : `<div style="width:1px;height:1px;background:url('${url}')"></div>`

const attributeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

/** Returns the HTML of a delivery, tracked as chosen; null for an email without HTML. */
export type HtmlTracker = (
  html: string | null,
  delivery: DeliveryRef,
  choice: TrackingChoice,
  linkNames?: ReadonlyMap<string, string>
) => string | null

/** Creates the tracker with an installation's tools. */
export const makeHtmlTracker =
  (tools: TrackingTools): HtmlTracker =>
  (html, delivery, choice, linkNames) =>
    html === null ? null : trackHtml(html, delivery, choice, tools, linkNames)
