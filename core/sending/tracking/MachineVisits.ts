/**
 * Which requests for a pixel or a link are no person's.
 *
 * @module
 */

/**
 * What names itself and is nobody who reads: crawlers and previews of chats (most call themselves a bot), the link
 * checks of mail filters, and HTTP libraries that such checks are written with.
 *
 * Not among them: the image proxies of mailboxes (GoogleImageProxy, YahooMailProxy, Outlook's), which fetch an image
 * when the person opens the email. Filters that pass for a browser cannot be told apart (public-api, Webhooks about
 * email).
 */
const scanners: ReadonlyArray<RegExp> = [
  // A telephone maker has it in its name.
  /(?<!cu)bot\b/i,
  /crawler|spider|slurp/i,
  /facebookexternalhit|facebookcatalog|whatsapp|skypeuripreview|bingpreview|google-safety|google-read-aloud/i,
  /embedly|iframely|vkshare|pinterest\/|redditbot|yandex\w{0,20}\//i,
  /barracuda|proofpoint|mimecast|messagelabs|symantec|trendmicro|sophos|forcepoint|cloudmark|ironport/i,
  /fireeye|zscaler|urldefense|safelinks|virustotal|urlscan|phishtank|netcraft|censys|expanse/i,
  /headlesschrome|phantomjs|lighthouse|pagespeed|gtmetrix|uptime|pingdom|statuscake|site24x7/i,
  /^(curl|wget|python|go-http-client|java\/|apache-httpclient|libwww-perl|ruby|php|guzzle|scrapy|httpie)/i
]

/** More than any user agent that means what it says. */
const maxUserAgent = 1000

/** A request for a pixel or a link, as far as it tells who made it. */
export interface Visit {
  readonly method: string
  readonly userAgent: string | null
  /** The headers Purpose, Sec-Purpose, X-Purpose and X-Moz, those that are there: a browser that looks ahead says so. */
  readonly purposes: ReadonlyArray<string>
}

/**
 * Whether a visit counts: a GET by what may be a person. What names nothing counts, since some privacy proxies do not;
 * a HEAD, a look ahead and a known scanner never count.
 */
export const countsAsVisit = ({ method, purposes, userAgent }: Visit): boolean => {
  if (method !== "GET" || purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose)))
    return false
  const agent = (userAgent ?? "").slice(0, maxUserAgent)
  return !scanners.some((scanner) => scanner.test(agent))
}
