/**
 * Checks the connection URL of a PostgreSQL server, and describes its target without its password.
 *
 * @module
 */
import { addressOf } from "./Socket.ts"

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

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const encode = "encode it, as in %40 for @, %3A for :, %2F for /, %3F for ?, %23 for #, %25 for %"

/**
 * Why a connection URL cannot be used; null where it can. The reason quotes nothing of the URL, in which a password can
 * be anywhere.
 */
export const whyInvalidUrl = (text: string): string | null => {
  const [, authority, rest] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/is.exec(text) ?? []
  if (authority === undefined || rest === undefined) return "it must begin with postgres:// or postgresql://"
  const beforeQuery = rest.split("?")[0] ?? ""
  // An @ behind what ends the authority: the password had a / or ? or #, and the host would be a part of it.
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
  if (![url.username, url.password, url.hostname, url.pathname].every(isEncoded)) {
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
  return null
}

/** Where a valid connection URL leads, and as whom; without the password. */
export interface Target {
  /** `host:port`, or the path of a Unix socket. */
  readonly address: string
  readonly user: string | null
  readonly database: string | null
}

/** The target of a valid connection URL. */
export const targetOf = (url: string): Target => {
  const address = addressOf(url)
  const { pathname, searchParams, username } = new URL(url)
  const user = searchParams.getAll("user").at(-1) ?? decodeURIComponent(username)
  const database = searchParams.getAll("dbname").at(-1) ?? decodeURIComponent(pathname.slice(1))
  return {
    address:
      "path" in address
        ? address.path
        : `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`,
    user: user === "" ? null : user,
    database: database === "" ? null : database
  }
}
