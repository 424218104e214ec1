/**
 * The connection to a PostgreSQL server, beneath the driver.
 *
 * @module
 */
import { connect, type Socket } from "node:net"

/** Where a server listens. */
type Address = { readonly host: string; readonly port: number } | { readonly path: string }

/** How long a connection idles before the network is asked whether it is still there, milliseconds. */
const keepAliveMillis = 10_000

const defaultHost = "localhost"
const defaultPort = 5432

/**
 * Where the server of a connection URI is, as libpq reads one (PostgreSQL 32.1.1.2): `host` and `port` among the
 * parameters win; a host that begins with a slash is the directory of a Unix socket.
 */
export const addressOf = (uri: string): Address => {
  const { hostname, port: written, searchParams } = new URL(uri)
  const named = hostname.startsWith("[") ? hostname.slice(1, -1) : decodeURIComponent(hostname)
  const host = searchParams.getAll("host").at(-1) ?? (named === "" ? defaultHost : named)
  const port = Number(searchParams.getAll("port").at(-1) ?? (written === "" ? defaultPort : written))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Begins a connection. TLS, where the URI asks for it, is put over it by the driver. */
export const openSocket = (address: Address): Socket =>
  connect({
    ...address,
    // A statement is one write and then a wait for its answer: there is nothing to gather.
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveMillis
  })
