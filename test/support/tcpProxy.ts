/**
 * A TCP proxy of a test's own, that treats its connections as a bad network or a failing server would.
 *
 * @module
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

export interface Treatment {
  /** How long what passes is delayed in each direction, milliseconds. */
  readonly delay: number
  /** Whether connections are forgotten as soon as they are opened; as by `forget`, when not given. */
  readonly forgetful?: boolean
  /** Whether what the server says is lost; passed on, when not given. */
  readonly mute?: boolean
}

export interface TcpProxy {
  readonly port: number
  /** What happens from now on, to connections that are open too. */
  readonly treat: (treatment: Treatment) => void
  /** Passes nothing more on the connections there are, neither bytes nor that a side has closed; tells nobody. */
  readonly forget: () => void
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
  const forgotten = new WeakSet<Socket>()
  let treatment: Treatment = { delay: 0 }

  const forward = (from: Socket, to: Socket, isLost = () => false) => {
    // In the order they came, whatever each is delayed by.
    let before = Promise.resolve()
    from.on("data", (chunk: Buffer) => {
      if (isLost()) return
      const due = performance.now() + treatment.delay
      before = before.then(async () => {
        const wait = due - performance.now()
        if (wait > 0) await delay(wait)
        if (!to.destroyed && !forgotten.has(from)) to.write(chunk)
      })
    })
    from.on("end", () => void before.then(() => (forgotten.has(from) ? undefined : to.end())))
    from.on("error", () => undefined)
    from.on("close", () => {
      sockets.delete(from)
      clients.delete(from)
      if (!forgotten.has(from)) to.destroy()
    })
    sockets.add(from)
  }

  const server = createServer((client) => {
    const upstream = connect(targetPort, "127.0.0.1")
    clients.add(client)
    if (treatment.forgetful === true) for (const side of [client, upstream]) forgotten.add(side)
    forward(client, upstream)
    forward(upstream, client, () => treatment.mute === true)
  })
  const forget = () => {
    for (const socket of sockets) forgotten.add(socket)
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
    forget,
    clients: () => clients.size,
    cut,
    refuse,
    listen: () => listenOn(port),
    stop: refuse
  }
}
