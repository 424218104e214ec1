/**
 * A connection pooler in transaction mode that behaves like PgBouncer before version 1.21: each transaction may get another
 * session of the server, names of prepared statements are passed on unchanged, and an unknown startup parameter is rejected
 * unless configured to be ignored.
 *
 * @module
 */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Pooler {
  /** The URL of the server's database through the pooler. */
  readonly url: string
  /** The number of transactions passed on so far. */
  readonly transactions: () => number
  readonly stop: () => void
}

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const text = (...values: ReadonlyArray<string>): Buffer =>
  Buffer.from(values.map((one) => `${one}\0`).join(""))

const protocol = 196_608
const sslRequest = 80_877_103

/** The startup parameters that PgBouncer accepts from clients. */
const knownParameters: ReadonlySet<string> = new Set([
  "user",
  "database",
  "application_name",
  "client_encoding",
  "datestyle",
  "timezone",
  "standard_conforming_strings"
])

/** Splits a stream into messages. The first message of a client has no type. */
const makeReader = (hasType: () => boolean, take: (type: string, whole: Buffer) => void) => {
  let received: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const at = hasType() ? 1 : 0
      if (received.length < at + 4) return
      const end = at + received.readUInt32BE(at)
      if (received.length < end) return
      const whole = received.subarray(0, end)
      received = received.subarray(end)
      take(at === 1 ? String.fromCharCode(whole[0]!) : "", whole)
    }
  }
}

/** A session of the server, and the handler for its messages. */
interface Session {
  readonly socket: Socket
  take: (type: string, whole: Buffer) => void
}

const openSession = (target: URL): Promise<Session> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    const session: Session = {
      socket,
      take: (type, whole) => {
        if (type === "E") reject(new Error(String(whole)))
        // The server asks for the password in clear text, as embedded servers do.
        if (type === "R" && whole.readInt32BE(5) === 3) {
          socket.write(message("p", text(decodeURIComponent(target.password))))
        }
        if (type === "Z") resolve(session)
      }
    }
    socket.on(
      "data",
      makeReader(
        () => true,
        (type, whole) => session.take(type, whole)
      )
    )
    socket.on("error", reject)
    const names = text("user", decodeURIComponent(target.username), "database", target.pathname.slice(1), "")
    socket.write(Buffer.concat([int32(names.length + 8), int32(protocol), names]))
  })

/**
 * Starts a pooler in front of the database of `url`.
 *
 * @param ignored the startup parameters that it ignores
 * @param size how many sessions it has, used in turn
 */
export const startPooler = async (
  url: string,
  ignored: ReadonlyArray<string>,
  size = 12
): Promise<Pooler> => {
  const target = new URL(url)
  const idle = await Promise.all(Array.from({ length: size }, () => openSession(target)))
  const sessions = [...idle]
  const waiting: Array<(session: Session) => void> = []
  let transactions = 0

  const release = (session: Session) => {
    session.take = () => {}
    const next = waiting.shift()
    if (next === undefined) idle.push(session)
    else next(session)
  }
  const acquire = (use: (session: Session) => void) => {
    const session = idle.shift()
    if (session === undefined) waiting.push(use)
    else use(session)
  }

  const server = createServer({ noDelay: true }, (client) => {
    let hasStarted = false
    let session: Session | null = null
    let isWaiting = false
    /** The number of requests whose completion the server has not reported yet. */
    let outstanding = 0
    const held: Array<Buffer> = []

    const fromServer = (type: string, whole: Buffer) => {
      if (!client.destroyed) client.write(whole)
      if (type !== "Z") return
      outstanding--
      if (outstanding > 0 || String.fromCharCode(whole[5]!) !== "I") return
      const done = session!
      session = null
      transactions++
      release(done)
    }
    const pass = () => {
      if (session !== null) {
        for (const one of held.splice(0)) session.socket.write(one)
      } else if (!isWaiting) {
        isWaiting = true
        acquire((found) => {
          isWaiting = false
          if (client.destroyed) return release(found)
          session = found
          found.take = fromServer
          pass()
        })
      }
    }
    const fromClient = (type: string, whole: Buffer): void => {
      if (type === "" && whole.readInt32BE(4) === sslRequest) return void client.write("N")
      if (type === "" && whole.readInt32BE(4) !== protocol) return void client.destroy()
      if (type === "") {
        hasStarted = true
        const names = whole
          .subarray(8)
          .toString()
          .split("\0")
          .filter((_, index) => index % 2 === 0)
        const unknown = names.find(
          (name) => name !== "" && !knownParameters.has(name.toLowerCase()) && !ignored.includes(name)
        )
        if (unknown !== undefined) {
          const fields = text("SFATAL", "VFATAL", "C08P01", `Munsupported startup parameter: ${unknown}`, "")
          return void client.end(message("E", fields))
        }
        const version = message("S", text("server_version", "18.0"))
        const key = message("K", Buffer.concat([int32(1), int32(1)]))
        return void client.write(
          Buffer.concat([message("R", int32(0)), version, key, message("Z", Buffer.from("I"))])
        )
      }
      if (type === "X") return void client.end()
      if (type === "S" || type === "Q") outstanding++
      held.push(whole)
      pass()
    }
    client.on(
      "data",
      makeReader(() => hasStarted, fromClient)
    )
    client.on("error", () => client.destroy())
    client.on("close", () => {
      // Like PgBouncer if a client disconnects in the middle of a transaction.
      if (session === null) return
      session.socket.destroy()
      void openSession(target).then((fresh) => {
        sessions.push(fresh)
        release(fresh)
      })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const pooled = new URL(url)
  pooled.port = String((server.address() as AddressInfo).port)
  return {
    url: pooled.href,
    transactions: () => transactions,
    stop: () => {
      server.close()
      for (const { socket } of sessions) socket.destroy()
    }
  }
}
