/**
 * Port numbers for servers that need one before they start.
 *
 * @module
 */
import { createServer } from "node:net"

/** Lower than the ephemeral ports, so that no other process gets the port before the server listens. */
const lowest = 10_000
const highest = 30_000

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** A port of 127.0.0.1 that nothing listens on. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) return port
  }
}
