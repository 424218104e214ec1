/**
 * Makes an email's html tell of opens and clicks.
 *
 * @module
 */
import { Effect } from "effect"
import type { Settings } from "../../model/Account.ts"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import { linkPaths } from "../../audience/pages/ContactLinks.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { HtmlRewriter } from "../../ports/HtmlRewriter.ts"
import type { DeliveryRef } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import type { Submission } from "../../model/Submission.ts"
import { makeClickTokens, makeOpenToken, type TrackingSigner } from "./TrackingTokens.ts"

/** Where each token is read, from the base URL on. */
export const trackingPaths = { open: "/t/o", click: "/t/c" } as const

/** Links longer than this are left as they are: with a token about them they would exceed what mail clients open. */
const maxUrl = 1500

const hostedPrefixes = Object.values(linkPaths).map((path) => `${path}/`)

/** What is tracked of an email. */
export interface TrackingChoice {
  readonly opens: boolean
  readonly clicks: boolean
}

/** What an email says of tracking, and where it says nothing, its account (decisions 5). */
export const trackingOf = (
  submission: Pick<Submission, "trackOpens" | "trackClicks">,
  settings: Pick<Settings, "tracking">
): TrackingChoice => ({
  opens: submission.trackOpens ?? settings.tracking.opens,
  clicks: submission.trackClicks ?? settings.tracking.clicks
})

/**
 * The html of one delivery: its http(s) links lead over the service, and a pixel of one by one is at the end of its
 * body, as far as each is asked for. The same text where nothing is.
 */
export const trackHtml = (
  html: string,
  delivery: DeliveryRef,
  { clicks, opens }: TrackingChoice,
  tools: {
    readonly rewriter: HtmlRewriter["Service"]
    readonly signer: TrackingSigner
    readonly baseUrl: string
  }
): string => {
  if (!opens && !clicks) return html
  const { baseUrl, rewriter, signer } = tools
  const tokenOf = makeClickTokens(signer, { delivery, opens })
  const known = new Map<string, string>()
  const link = (url: string): string => {
    // A way out of marketing leads straight there.
    if (!clicks || url.length > maxUrl || hostedPrefixes.some((path) => url.startsWith(baseUrl + path)))
      return url
    let tracked = known.get(url)
    if (tracked === undefined) {
      tracked = `${baseUrl}${trackingPaths.click}/${tokenOf(url)}`
      known.set(url, tracked)
    }
    return tracked
  }
  const source = `${baseUrl}${trackingPaths.open}/${makeOpenToken(signer, delivery)}`
  const pixel = opens
    ? `<img src="${attributeText(source)}" width="1" height="1" alt="" style="border:0">`
    : ""
  return rewriter.rewrite(html, link, pixel)
}

const attributeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

/** Answers the html of one of a submission's deliveries; null for an email without html. */
export type HtmlTracker = (
  submission: Pick<Submission, "html" | "trackOpens" | "trackClicks">,
  delivery: DeliveryRef,
  settings: Pick<Settings, "tracking">
) => string | null

/** Gets the tracker, once for a batch. `Unavailable` before the first start is over. */
export const makeHtmlTracker: Effect.Effect<
  Effect.Effect<HtmlTracker, Unavailable>,
  never,
  Crypto | PublicEndpoint | HtmlRewriter | InstallationKeys
> = Effect.gen(function* () {
  const rewriter = yield* HtmlRewriter
  const crypto = yield* Crypto
  const keys = yield* InstallationKeys
  const publicEndpoint = yield* PublicEndpoint

  return Effect.map(keys.get, ({ tracking: key }): HtmlTracker => {
    const tools = { rewriter, signer: { crypto, key }, baseUrl: publicEndpoint.baseUrl() }
    return (submission, delivery, settings) =>
      submission.html === null
        ? null
        : trackHtml(submission.html, delivery, trackingOf(submission, settings), tools)
  })
})
