/**
 * Parses the URLs of relays into server, credentials, and the form in which the URL is shown. Pure.
 *
 * @module
 */
import type { RelayEndpoint } from "../../model/MailRelay.ts"
import { parseDomain } from "../../shared/EmailAddress.ts"
import { parseIp } from "../../shared/Network.ts"

/** A parsed URL of a relay. */
export interface RelayUrl {
  readonly endpoint: RelayEndpoint
  /** The URL with `***` in place of the password, and of a user name that equals the password. */
  readonly shown: string
}

/** The owner of a relay. Relays of companies are restricted. */
export type RelayOwner = "Company" | "Installation"

const maxUrl = 2_048
const maxPool = 100
const defaultPool = 10
const hidden = "***"

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Decodes percent-encoding; null if it is invalid or contains control characters. */
const decoded = (text: string): string | null => {
  try {
    const plain = decodeURIComponent(text)
    return controls.test(plain) ? null : plain
  } catch {
    return null
  }
}

/** The host of a URL, in lower case and without brackets; null if it is neither a name nor an address. */
const hostOf = (hostname: string): string | null => {
  const [, bracketed] = /^\[(.*)\]$/.exec(hostname) ?? []
  if (bracketed !== undefined) return parseIp(bracketed) === null ? null : bracketed
  return !hostname.includes(":") && parseIp(hostname) !== null ? hostname : parseDomain(hostname)
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host)

/** The number of connections that `?pool=` states; null if it is not a valid number. */
const poolOf = (text: string | null): number | null => {
  if (text === null) return defaultPool
  const pool = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return pool >= 1 && pool <= maxPool ? pool : null
}

/**
 * Parses `smtp://[user:password@]host[:port]` (port 587) or `smtps://...` (port 465). `?pool=10` sets the maximum number of
 * connections (1 to 100). `?verify=false`, allowed only for the installation's own relays, accepts any certificate. Null for
 * any other text, and for the password `***`, which is a placeholder.
 *
 * Credentials are sent only over encrypted connections, to a server whose certificate is valid for its name. Within the
 * machine, neither is required.
 */
export const parseRelayUrl = (text: string, owner: RelayOwner): RelayUrl | null => {
  if (text.length > maxUrl || controls.test(text)) return null
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hash !== "" || !/^\/?$/.test(url.pathname)) {
    return null
  }
  const host = hostOf(url.hostname)
  const [user, pass] = [decoded(url.username), decoded(url.password)]
  if (host === null || user === null || pass === null || pass === hidden) return null
  if (user === "" && pass !== "") return null
  const names = [...url.searchParams.keys()]
  if (names.some((name) => name !== "pool" && name !== "verify") || new Set(names).size < names.length)
    return null
  const pool = poolOf(url.searchParams.get("pool"))
  const verify = url.searchParams.get("verify") ?? "true"
  if (pool === null || (verify !== "true" && (verify !== "false" || owner === "Company"))) return null
  const port = url.port === "" ? (url.protocol === "smtps:" ? 465 : 587) : Number(url.port)
  if (port === 0) return null
  const isImplicit = url.protocol === "smtps:"
  const isGuarded = user !== "" && !isLoopback(host)
  return {
    endpoint: {
      host,
      port,
      tls: isImplicit ? "Implicit" : isGuarded ? "Required" : "Offered",
      verify: (isGuarded || isImplicit) && !isLoopback(host) && verify === "true",
      credentials: user === "" ? null : { user, pass },
      pool
    },
    shown: shownUrl(url)
  }
}

const shownUrl = (url: URL): string => {
  const { password, username } = url
  const shown = new URL(url.href)
  if (password !== "") shown.password = hidden
  // Some providers accept their single token as both user name and password.
  if (password !== "" && username === password) shown.username = hidden
  return shown.href
}
