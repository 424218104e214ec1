/**
 * Whether another program listens on a port.
 *
 * @module
 */
import { createServer } from "node:net"

/**
 * The system's error of listening on a port for a moment; null where there is none. The port is not offered for sharing, so that it
 * fails too beside a program that would share its own (`SO_REUSEPORT`).
 *
 * @param host null for every address of the machine
 */
export const listenError = (host: string | null, port: number): Promise<Error | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", resolve)
    server.listen({ port, ...(host === null ? {} : { host }) }, () => server.close(() => resolve(null)))
  })
