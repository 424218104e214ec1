/**
 * Checks the connection URL of a PostgreSQL server or of several, and describes its target without its password.
 *
 * @module
 */
import { isPercentEncoded } from "../../../core/shared/Validate.ts"
import { addressOf } from "../engine/Socket.ts"

/** The maximum number of hosts in a URL. Each is tried with a connection of its own. */
export const maxHosts = 8

/**
 * Which of several hosts is used, in the terms of libpq's `target_session_attrs`. The service writes, so a standby is never
 * chosen. `any` means the host that answers first.
 */
export type HostRole = "any" | "primary" | "read-write"

const hostRoles: ReadonlySet<string> = new Set<HostRole>(["any", "primary", "read-write"])

const sslModes: ReadonlySet<string> = new Set([
  "disable",
  "allow",
  "prefer",
  "require",
  "verify-ca",
  "verify-full"
])

const isPort = (text: string): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535

const encode = "encode it, as in %40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %"

interface Parts {
  readonly scheme: string
  /** The part before the first slash. */
  readonly authority: string
  /** The path and everything after it. */
  readonly rest: string
}

const partsOf = (text: string): Parts | null => {
  const [, scheme, authority, rest] = /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/is.exec(text) ?? []
  return scheme === undefined || authority === undefined || rest === undefined
    ? null
    : { scheme, authority, rest }
}

/** The last value of a parameter, as a list. */
const listIn = (parameters: URLSearchParams, name: string): ReadonlyArray<string> | null =>
  parameters.getAll(name).at(-1)?.split(",") ?? null

/**
 * Returns one URL for each host of a connection URL, in the same order, by the rules of libpq (PostgreSQL 32.1.1.3). The hosts
 * are separated by commas, in the authority or in the parameters `host` and `port`. Returns null unless there is one port
 * for all hosts, or one for each.
 */
export const hostUrls = (text: string): ReadonlyArray<string> | null => {
  const parts = partsOf(text)
  if (parts === null || !text.includes(",")) return [text]
  const { authority, rest, scheme } = parts
  const at = authority.lastIndexOf("@") + 1
  const named = authority.slice(at).split(",")
  const queryAt = rest.indexOf("?")
  const parameters = new URLSearchParams(queryAt < 0 ? "" : rest.slice(queryAt + 1))
  const hosts = listIn(parameters, "host")
  const ports = listIn(parameters, "port")
  const count = hosts?.length ?? named.length
  if (ports !== null && ports.length !== 1 && ports.length !== count) return null
  if (count === 1 && (ports?.length ?? 1) === 1 && named.length === 1) return [text]
  return Array.from({ length: count }, (_, index) => {
    if (hosts !== null) parameters.set("host", hosts[index]!)
    if (ports !== null) parameters.set("port", ports[index] ?? ports[0]!)
    const query = hosts === null && ports === null ? rest.slice(queryAt + 1) : String(parameters)
    // Hosts in the parameters replace that of the authority, which must have a host if it has a user.
    const host = hosts === null ? named[index]! : named[0] || "localhost"
    return `${scheme}${authority.slice(0, at)}${host}${queryAt < 0 ? rest : `${rest.slice(0, queryAt)}?${query}`}`
  })
}

/** Which of the hosts of a valid connection URL is used. By default, the one that accepts writes. */
export const hostRoleOf = (text: string): HostRole =>
  (new URL(hostUrls(text)![0]!).searchParams.getAll("target_session_attrs").at(-1) as HostRole | undefined) ??
  "read-write"

/** Whether statements are prepared by name on the connections of a valid URL. Some connection poolers lose such statements. */
export const preparesByName = (text: string): boolean =>
  new URL(hostUrls(text)![0]!).searchParams.getAll("prepared_statements").at(-1) !== "false"

/**
 * Why a connection URL cannot be used; null if it can. The reason quotes no part of the URL, because any part may contain a
 * password.
 */
export const whyInvalidUrl = (text: string): string | null => {
  const parts = partsOf(text)
  if (parts === null) return "it must begin with postgres:// or postgresql://"
  const urls = hostUrls(text)
  if (urls === null) return "its parameter port has neither one port nor one for each host"
  if (urls.length > maxHosts) return `it has more than ${maxHosts} hosts`
  for (const url of urls) {
    const why = whyInvalidHostUrl(url)
    if (why !== null) return why
  }
  return null
}

/** Why the URL of one host cannot be used. */
const whyInvalidHostUrl = (text: string): string | null => {
  const { authority, rest } = partsOf(text)!
  const beforeQuery = rest.split("?")[0] ?? ""
  // An @ after the end of the authority: the password contained a / or ? or #, so the host would be a part of the password.
  const isCut =
    beforeQuery.includes("@") ||
    (authority !== "" && !authority.includes("@") && /^[^=]*@/.test(rest.slice(beforeQuery.length)))
  if (isCut || beforeQuery.includes("#")) {
    return `user or password has an unescaped character, such as @, /, ? or #: ${encode}`
  }
  const url = URL.parse(text)
  if (url === null) {
    const port = /:([^:\]]*)$/.exec(authority.slice(authority.lastIndexOf("@") + 1))?.[1]
    return port !== undefined && port !== "" && !isPort(port)
      ? `its port is no number from 1 to 65535; if that is a part of the password, a character of the password is unescaped: ${encode}`
      : `it has no valid host; if the password has an unescaped character such as @ or /, ${encode}`
  }
  if (![url.username, url.password, url.hostname, url.pathname].every(isPercentEncoded)) {
    return `a % in it begins no escape: ${encode}`
  }
  if (url.port === "0") return "its port is no number from 1 to 65535"
  const port = url.searchParams.getAll("port")
  if (!port.every(isPort)) return "its parameter port is no number from 1 to 65535"
  if (!url.searchParams.getAll("sslmode").every((mode) => sslModes.has(mode))) {
    return `its parameter sslmode is none of ${[...sslModes].join(", ")}`
  }
  if (!url.searchParams.getAll("connect_timeout").every((seconds) => /^\d{1,6}$/.test(seconds))) {
    return "its parameter connect_timeout is no whole number of seconds"
  }
  if (!url.searchParams.getAll("target_session_attrs").every((role) => hostRoles.has(role))) {
    return `its parameter target_session_attrs is none of ${[...hostRoles].join(", ")}: the service writes`
  }
  if (!url.searchParams.getAll("prepared_statements").every((value) => /^(true|false)$/.test(value))) {
    return "its parameter prepared_statements is neither true nor false"
  }
  return null
}

/** The target and the user of a valid connection URL, without the password. */
export interface Target {
  /** `host:port`, or the path of a Unix socket. Several are separated by commas. */
  readonly address: string
  readonly user: string | null
  readonly database: string | null
}

/** The address in the URL of one host. */
export const hostAddress = (url: string): string => {
  const address = addressOf(url)
  return "path" in address
    ? address.path
    : `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`
}

/** The target of a valid connection URL. */
export const targetOf = (text: string): Target => {
  const urls = hostUrls(text)!
  const { pathname, searchParams, username } = new URL(urls[0]!)
  const user = searchParams.getAll("user").at(-1) ?? decodeURIComponent(username)
  const database = searchParams.getAll("dbname").at(-1) ?? decodeURIComponent(pathname.slice(1))
  return {
    address: urls.map(hostAddress).join(", "),
    user: user === "" ? null : user,
    database: database === "" ? null : database
  }
}
