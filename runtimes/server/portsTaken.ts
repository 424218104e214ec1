/**
 * Checks whether another program listens on a port.
 *
 * @module
 */
import { createServer } from "node:net"

/**
 * The system's error of listening on a port briefly; null if it succeeds. The port is not shared, so it also fails if another
 * program would share its own (`SO_REUSEPORT`).
 *
 * @param host null for every address of the machine
 */
export const listenError = (host: string | null, port: number): Promise<Error | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", resolve)
    server.listen({ port, ...(host === null ? {} : { host }) }, () => server.close(() => resolve(null)))
  })
