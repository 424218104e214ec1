/**
 * A TCP proxy that disturbs its connections as a bad network or a failing server would.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

export interface Treatment {
  /** The delay in each direction, milliseconds. */
  readonly delay: number
  /** Whether new connections go silent as soon as they are opened. */
  readonly silent?: boolean
  /** Whether data of the server is dropped. */
  readonly mute?: boolean
}

export interface TcpProxy {
  readonly port: number
  /** Sets the disturbance from now on, of open connections too. */
  readonly treat: (treatment: Treatment) => void
  /** Makes the open connections silent: neither bytes nor a close pass, and no side is notified. */
  readonly silence: () => void
  /** How many clients are connected. */
  readonly clients: () => number
  /** Cuts all connections, with a reset. */
  readonly cut: () => void
  /** Refuses new connections and cuts those there are, until `listen`. */
  readonly refuse: () => Promise<void>
  readonly listen: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a proxy before a port of 127.0.0.1. */
export const startTcpProxy = async (targetPort: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  const clients = new Set<Socket>()
  const silenced = new WeakSet<Socket>()
  let treatment: Treatment = { delay: 0 }

  const forward = (from: Socket, to: Socket, isLost = () => false) => {
    // In order of arrival, independently of the delay of each.
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
