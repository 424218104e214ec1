/**
 * A TCP proxy that disturbs its connections like a bad network or a failing server.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

export interface Treatment {
  /** The delay in each direction, in milliseconds. */
  readonly delay: number
  /** Whether new connections fall silent as soon as they are opened. */
  readonly silent?: boolean
  /** Whether the server's data is dropped. */
  readonly mute?: boolean
}

export interface TcpProxy {
  readonly port: number
  /** Sets the disturbance from now on, including for open connections. */
  readonly treat: (treatment: Treatment) => void
  /** Silences the open connections: no bytes and no close are passed on, and neither side is notified. */
  readonly silence: () => void
  /** The number of connected clients. */
  readonly clients: () => number
  /** Resets all connections. */
  readonly cut: () => void
  /** Refuses new connections and resets the open ones, until `listen`. */
  readonly refuse: () => Promise<void>
  readonly listen: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a proxy in front of a port of 127.0.0.1. */
export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  const silenced = new WeakSet<Socket>()
  let treatment: Treatment = { delay: 0 }

  const forward = (from: Socket, to: Socket, isLost = () => false) => {
    // Keeps the order of arrival, whatever the delay of each chunk.
    let before = Promise.resolve()
    from.on("data", (chunk: Buffer) => {
      if (isLost()) return
      const due = performance.now() + treatment.delay
      before = before.then(async () => {
        const wait = due - performance.now()
        if (wait > 0) await delay(wait)
        if (!to.destroyed && !silenced.has(from)) to.write(chunk)
      })
    })
    from.on("end", () => void before.then(() => (silenced.has(from) ? undefined : to.end())))
    from.on("error", () => undefined)
    from.on("close", () => {
      sockets.delete(from)
      clients.delete(from)
      if (!silenced.has(from)) to.destroy()
    })
    sockets.add(from)
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: targetPort, host: "127.0.0.1", noDelay: true })
    clients.add(client)
    if (treatment.silent === true) for (const side of [client, upstream]) silenced.add(side)
    forward(client, upstream)
    forward(upstream, client, () => treatment.mute === true)
  })
  const silence = () => {
    for (const socket of sockets) silenced.add(socket)
  }
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const listenOn = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, "127.0.0.1", () => resolve())
    })
  await listenOn(0)
  const { port } = server.address() as AddressInfo
  const refuse = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      cut()
    })

  return {
    port,
    treat: (next) => {
      treatment = next
    },
    silence,
    clients: () => clients.size,
    cut,
    refuse,
    listen: () => listenOn(port),
    stop: refuse
  }
}
