/**
 * Opens the socket to a PostgreSQL server.
 *
 * @module
 */
import { connect, type Socket } from "node:net"
import { holdBegin } from "../connection/HeldBegin.ts"

/** The address of a server. */
type Address = { readonly host: string; readonly port: number } | { readonly path: string }

/** How long a connection is idle before TCP keep-alive probes are sent, in milliseconds. */
const keepAliveMillis = 10_000

const defaultHost = "localhost"
const defaultPort = 5432

/**
 * The address in a connection URI, by the rules of libpq (PostgreSQL 32.1.1.2). The parameters `host` and `port` take
 * precedence. A host that begins with a slash is the directory of a Unix socket.
 */
export const addressOf = (uri: string): Address => {
  const { hostname, port: written, searchParams } = new URL(uri)
  const named = hostname.startsWith("[") ? hostname.slice(1, -1) : decodeURIComponent(hostname)
  const host = searchParams.getAll("host").at(-1) ?? (named === "" ? defaultHost : named)
  const port = Number(searchParams.getAll("port").at(-1) ?? (written === "" ? defaultPort : written))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Opens a connection. If the URI requires TLS, the driver adds it. */
export const openSocket = (address: Address): Socket =>
  holdBegin(
    connect({
      ...address,
      // A statement is one write followed by waiting for the reply, so there is nothing to combine.
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveMillis
    })
  )
