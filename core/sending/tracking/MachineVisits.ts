/**
 * Detects requests for pixels and links that no person made.
 *
 * @module
 */

/**
 * User agents of machines: crawlers and chat previews (most call themselves a bot), the link checks of mail filters, and
 * HTTP libraries that such checks use.
 *
 * Not among them: the image proxies of mailboxes (GoogleImageProxy, YahooMailProxy, Outlook's), which fetch an image when
 * the person opens the email. Filters that pose as a browser cannot be detected (docs/contributing/public-api.md "Webhooks
 * about email").
 */
const machines: ReadonlyArray<RegExp> = [
  // Except Cubot, a telephone maker.
  /(?<!cu)bot\b/i,
  /crawler|spider|slurp/i,
  /facebookexternalhit|facebookcatalog|whatsapp|skypeuripreview|bingpreview|google-safety|google-read-aloud/i,
  /embedly|iframely|vkshare|pinterest\/|redditbot|yandex\w{0,20}\//i,
  /barracuda|proofpoint|mimecast|messagelabs|symantec|trendmicro|sophos|forcepoint|cloudmark|ironport/i,
  /fireeye|zscaler|urldefense|safelinks|virustotal|urlscan|phishtank|netcraft|censys|expanse/i,
  /headlesschrome|phantomjs|lighthouse|pagespeed|gtmetrix|uptime|pingdom|statuscake|site24x7/i,
  /^(curl|wget|python|go-http-client|java\/|apache-httpclient|libwww-perl|ruby|php|guzzle|scrapy|httpie)/i
]

/** The most characters of a user agent that are read. */
const maxUserAgent = 1000

/** A request for a pixel or a link. */
export interface Visit {
  readonly method: string
  readonly userAgent: string | null
  /** The values of the headers Purpose, Sec-Purpose, X-Purpose and X-Moz: a browser that prefetches sends one. */
  readonly purposes: ReadonlyArray<string>
}

/**
 * Whether a visit counts: a GET that a person may have made. One without a user agent counts, since some privacy proxies
 * remove it; a HEAD, a prefetch and a machine's user agent do not.
 */
export const countsAsVisit = ({ method, purposes, userAgent }: Visit): boolean => {
  if (method !== "GET" || purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose)))
    return false
  const agent = (userAgent ?? "").slice(0, maxUserAgent)
  return !machines.some((machine) => machine.test(agent))
}
