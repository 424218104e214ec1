/**
 * Lanes of mail: a provider, a site's addresses, a relay, or the domain of recipients.
 *
 * @module
 */

/** What a call names to reach a lane. */
export type NamedLane =
  | { readonly provider: string }
  | { readonly site: string }
  | { readonly domain: string }

const domainMark = "domain:"

/** Keys of providers have neither the dots and colons of addresses nor the mark of a domain. */
const isProvider = /^[a-z0-9_-]+$/

/** What names the lane of a notice. */
export const namedLane = (lane: string): NamedLane => {
  if (lane.startsWith(domainMark)) return { domain: lane.slice(domainMark.length) }
  return isProvider.test(lane) && lane !== "relay" ? { provider: lane } : { site: lane }
}
