/** Tests the limits of connections of the server on Node, with raw sockets. Addresses of 127.0.0.0/8 stand for networks. */
import { Context, Effect, Exit, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { connect, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { afterEach, describe, expect, it, vi } from "vitest"
import { BodyReader, UnknownBodies } from "../../../adapters/http/edge/BodyReader.ts"
import { Origins } from "../../../adapters/http/edge/Origin.ts"
import type { App } from "../../../adapters/http/edge/router.ts"
import { serve } from "../../../adapters/http/server/NodeServer.ts"
import { type CallerLimits, defaultCallerLimits } from "../../../core/shared/CallerLimits.ts"
import { parseRange } from "../../../core/shared/Network.ts"

const large = new Uint8Array(16 * 1024 * 1024)
let answered = 0
let held: Array<() => void> = []

/**
 * `/large` responds with 16 MB, `/held` when the test says so, `/sum` with the hash of the body, and any other path with its
 * length.
 */
const app: App = Effect.contextWith(
  (context: Context.Context<HttpServerRequest.HttpServerRequest | BodyReader | Origins | UnknownBodies>) =>
    Effect.gen(function* () {
      const request = Context.get(context, HttpServerRequest.HttpServerRequest)
      if (request.headers["authorization"] !== undefined) Context.get(context, Origins).setKnown(request)
      if (request.url === "/held") yield* Effect.promise(() => new Promise<void>((go) => held.push(go)))
      const hold = Context.get(context, UnknownBodies).hold("one")
      const body = yield* Effect.orElseSucceed(
        Context.get(context, BodyReader).read(request, 1e9, hold),
        () => new Uint8Array()
      )
      hold.release()
      answered++
      if (request.url === "/large") return HttpServerResponse.uint8Array(large)
      const sum = () => createHash("sha256").update(body).digest("hex")
      return HttpServerResponse.text(request.url === "/sum" ? sum() : String(body.length))
    })
)

const scopes: Array<Scope.Closeable> = []
const sockets: Array<Client> = []
afterEach(async () => {
  for (const go of held) go()
  held = []
  for (const { socket } of sockets.splice(0)) socket.destroy()
  await Promise.all(scopes.splice(0).map((scope) => Effect.runPromise(Scope.close(scope, Exit.void))))
})

const start = async (limits: Partial<CallerLimits>, trusted: ReadonlyArray<string> = []) => {
  const scope = Scope.makeUnsafe()
  scopes.push(scope)
  answered = 0
  return Effect.runPromise(
    Effect.provideService(
      serve(app, {
        host: "127.0.0.1",
        port: 0,
        limits: { ...defaultCallerLimits, ...limits },
        trustedProxies: trusted.map((text) => parseRange(text)!)
      }),
      Scope.Scope,
      scope
    )
  )
}

interface Client {
  readonly socket: Socket
  readonly text: () => string
  readonly statuses: () => ReadonlyArray<number>
  readonly isClosed: () => boolean
}

/** Opens a connection from an address. It reads nothing while it is paused. */
const open = (port: number, address = "127.0.0.1", send = ""): Client => {
  const socket = connect({ port, host: "127.0.0.1", localAddress: address })
  const chunks: Array<Buffer> = []
  let closed = false
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  socket.on("error", () => undefined)
  socket.on("close", () => (closed = true))
  if (send !== "") socket.write(send)
  const text = () => Buffer.concat(chunks).toString("latin1")
  const client = {
    socket,
    text,
    statuses: () => [...text().matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    isClosed: () => closed
  }
  sockets.push(client)
  return client
}

const get = (path = "/", fields = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`
const post = (length: number, fields = "") =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${fields}\r\n`

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 })
const untilClosed = (client: Client) => until(() => expect(client.isClosed()).toBe(true))

const untilAnswered = (client: Client, count = 1) =>
  until(() => expect(client.statuses()).toEqual(Array.from({ length: count }, () => 200)))

describe("a slow client of the server", () => {
  it("that sends no whole headers in time gets 408", async () => {
    const port = await start({ headersMillis: 300 })
    const clients = [open(port), open(port, "127.0.0.1", "GET / HTTP/1.1\r\nHost: x\r\n")]
    const trickling = open(port, "127.0.0.1", "GET / HTTP/1.1\r\n")
    const timer = setInterval(() => trickling.socket.writable && trickling.socket.write("X-A: b\r\n"), 50)
    await Promise.all([...clients, trickling].map(untilClosed))
    clearInterval(timer)
    expect(clients.map((client) => client.statuses())).toEqual([[408], [408]])
    expect(answered).toBe(0)
  })

  it("may be idle between requests for a while, and cannot prolong that with empty lines", async () => {
    const port = await start({ idleMillis: 400, headersMillis: 400 })
    const quiet = open(port, "127.0.0.1", get())
    const noisy = open(port, "127.0.0.1", get())
    await untilAnswered(quiet)
    await delay(100)
    quiet.socket.write(get())
    await untilAnswered(quiet, 2)
    const timer = setInterval(() => noisy.socket.writable && noisy.socket.write("\r\n"), 50)
    await Promise.all([untilClosed(quiet), untilClosed(noisy)])
    clearInterval(timer)
  })

  it("that sends a body too slowly gets 408, and one that is slow but fast enough gets its answer", async () => {
    const port = await start({ bodyMillis: 300, minBytesPerSecond: 1_000 })
    const clients = [
      open(port, "127.0.0.1", post(9)),
      open(port, "127.0.0.1", post(1_000_000) + "a".repeat(10))
    ]
    const enough = open(port, "127.0.0.1", post(4_000))
    for (let sent = 0; sent < 4_000; sent += 500) {
      enough.socket.write("a".repeat(500))
      await delay(100)
    }
    await untilAnswered(enough)
    await Promise.all(clients.map(untilClosed))
    expect(clients.map((client) => client.statuses())).toEqual([[408], [408]])
  })

  it("is not blamed while the service itself does not read", async () => {
    const port = await start({ bodyMillis: 300, minBytesPerSecond: 1_000 })
    const client = open(port, "127.0.0.1", post(10, "").replace("POST /", "POST /held") + "a".repeat(9))
    await delay(1_000)
    for (const go of held) go()
    client.socket.write("a")
    await untilAnswered(client)
  })

  it("that reads no answer is disconnected", async () => {
    const port = await start({ unreadMillis: 400 })
    const client = open(port, "127.0.0.1", get("/large"))
    client.socket.pause()
    await until(() => expect(answered).toBe(1))
    await delay(1_200)
    client.socket.resume()
    await untilClosed(client)
    expect(client.text().length).toBeLessThan(large.length)
  })
})

describe("requests sent ahead", () => {
  it("are answered in order, however many", async () => {
    const port = await start({})
    const client = open(port, "127.0.0.1", get().repeat(2_000) + post(3) + "abc" + get())
    await untilAnswered(client, 2_002)
    expect(
      client
        .text()
        .match(/\r\n\r\n\d/g)!
        .slice(1_999)
    ).toEqual(["\r\n\r\n0", "\r\n\r\n3", "\r\n\r\n0"])
  })

  it("are not answered while their client does not read", async () => {
    const port = await start({})
    const client = open(port, "127.0.0.1", get("/large").repeat(500))
    client.socket.pause()
    await until(() => expect(answered).toBeGreaterThan(0))
    await delay(500)
    expect(answered).toBeLessThan(3)
  })

  it("of a network are bounded, and others are answered", async () => {
    const port = await start({ unreadMillis: 60_000 })
    const greedy = Array.from({ length: 20 }, () =>
      open(port, "127.0.0.2", get("/large") + get().repeat(1_400))
    )
    for (const { socket } of greedy) socket.pause()
    const other = open(port, "127.0.0.3", get())
    await untilAnswered(other)
    expect(answered).toBeLessThan(40)
  })
})

describe("bodies in chunks", () => {
  it("are read whole, however small the chunks are and however many send at once", async () => {
    const port = await start({})
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251))
    const sizes = [1, 3, 700, 9_000, 1, 1, 2_000]
    const chunks: Array<Buffer> = [
      Buffer.from("POST /sum HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    ]
    for (let at = 0, each = 0; at < bytes.length; each++) {
      // Many small bodies, and occasionally a large one.
      const size = each % 500 < 400 ? 1 : sizes[each % sizes.length]!
      const piece = bytes.subarray(at, at + size)
      chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"))
      at += size
    }
    const body = Buffer.concat([...chunks, Buffer.from("0\r\n\r\n")])
    const clients = Array.from({ length: 8 }, () => open(port))
    for (const { socket } of clients) {
      socket.write(body)
      socket.write(get())
    }
    await Promise.all(clients.map((client) => untilAnswered(client, 2)))
    const sum = createHash("sha256").update(bytes).digest("hex")
    for (const { text } of clients) expect(text()).toContain(`\r\n\r\n${sum}`)
  })
})

describe("connections", () => {
  it("of a network are bounded: idle ones are closed for new ones, and another network is served", async () => {
    const port = await start({ maxConnectionsPerNetwork: 3 })
    const busy = [1, 2].map(() => open(port, "127.0.0.2", get("/held")))
    await until(() => expect(held.length).toBe(2))
    const idle = open(port, "127.0.0.2", get())
    await untilAnswered(idle)
    // A recently used connection is likely to be used again.
    const early = open(port, "127.0.0.2", get())
    await untilClosed(early)
    expect([[], [503]]).toContainEqual(early.statuses())
    expect(idle.isClosed()).toBe(false)
    await delay(1_100)
    const newer = open(port, "127.0.0.2", get("/held"))
    await untilClosed(idle)
    await until(() => expect(held.length).toBe(3))
    const refused = open(port, "127.0.0.2", get())
    await untilClosed(refused)
    expect([[], [503]]).toContainEqual(refused.statuses())
    const other = open(port, "127.0.0.3", get())
    await untilAnswered(other)
    for (const go of held.splice(0)) go()
    await Promise.all([...busy, newer].map((client) => untilAnswered(client)))
  })

  it("that are silent are closed for callers of other networks when all places are taken", async () => {
    const port = await start({ maxConnections: 20, maxConnectionsPerNetwork: 10 })
    const idle = open(port, "127.0.0.9", get())
    await untilAnswered(idle)
    const silent = ["127.0.0.2", "127.0.0.3"].flatMap((address) =>
      Array.from({ length: 10 }, () => open(port, address))
    )
    await until(() => expect(silent.filter((client) => client.isClosed()).length).toBe(1))
    for (let number = 0; number < 10; number++) await untilAnswered(open(port, `127.0.1.${number}`, get()))
    expect(idle.isClosed()).toBe(false)
  })

  it("whose callers are unknown and still send are closed for others, those of known callers do not", async () => {
    const port = await start({ maxConnections: 3 })
    const known = open(port, "127.0.0.2", post(5, "Authorization: Bearer x\r\n"))
    const unknown = [3, 4].map((number) => open(port, `127.0.0.${number}`, post(5) + "a"))
    await delay(200)
    const late = open(port, "127.0.0.5", get())
    await untilAnswered(late)
    expect(unknown.filter((client) => client.isClosed()).length).toBe(1)
    known.socket.write("aaaaa")
    await untilAnswered(known)
  })

  it("of a trusted proxy have no limit of a network; the networks behind it have, by their requests", async () => {
    const port = await start({ maxConnectionsPerNetwork: 2 }, ["127.0.0.2"])
    const from = (address: string, path: string) => get(path, `X-Forwarded-For: ${address}\r\n`)
    const busy = [1, 2].map(() => open(port, "127.0.0.2", from("198.51.100.7", "/held")))
    await until(() => expect(held.length).toBe(2))
    const third = open(port, "127.0.0.2", from("198.51.100.7", "/"))
    await until(() => expect(third.statuses()).toEqual([503]))
    expect(third.text()).toMatch(/retry-after: 1/i)
    for (let number = 0; number < 5; number++) {
      await untilAnswered(open(port, "127.0.0.2", from(`203.0.113.${number}`, "/")))
    }
    for (const go of held.splice(0)) go()
    await Promise.all(busy.map((client) => untilAnswered(client)))
    third.socket.write(from("198.51.100.7", "/"))
    await until(() => expect(third.statuses()).toEqual([503, 200]))
  })
})
