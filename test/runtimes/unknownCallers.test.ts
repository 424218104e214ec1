/**
 * Tests, with raw sockets, the cost of callers without a key who are slow, many, or do not read. Addresses of 127.0.0.0/8 stand
 * for networks. The server's timeouts are short.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { api } from "../support/calls.ts"
import {
  freshFolder,
  type ReadyFile,
  type Runtime,
  type ServerProcess,
  startServer
} from "../support/serverProcess.ts"

interface Client {
  readonly socket: Socket
  readonly text: () => string
  readonly statuses: () => ReadonlyArray<number>
  readonly isClosed: () => boolean
}

const program = [join(import.meta.dirname, "../support/hurriedServer.ts")]

const limits = { bodyMillis: 600, minBytesPerSecond: 2_000, idleMillis: 2_000, unreadMillis: 4_000 }
const perNetwork = 20

const until = (check: () => void, timeout = 10_000) => vi.waitFor(check, { timeout, interval: 20 })

// Both runtimes concurrently, because most tests wait for timeouts of the server; the tests of each runtime one after another.
describe.concurrent.each<Runtime>(["node", "bun"])("on %s", (runtime) => {
  describe("a caller without a key", { concurrent: false }, () => {
    let folder: Awaited<ReturnType<typeof freshFolder>>
    let server: ServerProcess
    let ready: ReadyFile
    let storeId = ""
    const clients: Array<Client> = []

    beforeAll(async () => {
      folder = await freshFolder()
      server = startServer(
        runtime,
        folder.path,
        {
          SVC_STORE: "memory",
          SVC_TRUSTED_PROXIES: "127.0.0.250",
          SVC_MAX_CONNECTIONS_PER_NETWORK: String(perNetwork),
          SVC_MAX_UNKNOWN_BYTES: "1MB",
          TEST_LIMITS: JSON.stringify(limits)
        },
        program
      )
      ready = await server.ready()
      const store = await api<{ id: string }>(
        ready.baseUrl,
        ready.managementToken!,
        `/manage/v1/accounts/${ready.sandbox!.accountId}/stores`,
        {
          platform: "Shopify",
          name: "Shop",
          domain: "shop.example",
          consentMode: "Explicit",
          webhookSecret: "a-webhook-secret"
        }
      )
      storeId = store.value.id
    })
    afterEach(() => {
      for (const { socket } of clients.splice(0)) socket.destroy()
    })
    afterAll(async () => {
      server.signal("SIGKILL")
      await server.ended
      await folder.remove()
    })

    const open = (send = "", address = "127.0.0.1"): Client => {
      const socket = connect({
        port: Number(new URL(ready.baseUrl).port),
        host: "127.0.0.1",
        localAddress: address
      })
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
      clients.push(client)
      return client
    }
    const get = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`
    const post = (path: string, length: number, fields = "") =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${fields}\r\n`
    const signed = `X-Shopify-Hmac-Sha256: ${randomBytes(32).toString("base64")}\r\n`
    const hook = (id = storeId) => `/ingest/v1/stores/${id}/shopify`
    const answers = async (client: Client, statuses: ReadonlyArray<number>) =>
      until(() => expect(client.statuses()).toEqual(statuses))
    const memory = async () =>
      Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, "utf8"))![1]) / 1024

    it("is refused before the body is sent, where that needs no body", async () => {
      const size = 9_000_000
      const unknown = "0199a0c8-0000-7000-8000-000000000000"
      const bearer = (token: string) => `Authorization: Bearer ${token}\r\n`
      const templates = `/manage/v1/accounts/${unknown}/templates`
      const refused: ReadonlyArray<readonly [send: string, status: number]> = [
        [post(hook(unknown), size, signed), 401],
        [post(hook("x"), size, signed), 401],
        [post(hook(), size), 401],
        [post(hook(), size, "X-Shopify-Hmac-Sha256: AAAA\r\n"), 401],
        [
          post(
            hook().replace("shopify", "woocommerce"),
            size,
            signed.replace("Shopify-Hmac-Sha256", "WC-Webhook-Signature")
          ),
          401
        ],
        [post("/api/v1/contacts", size), 401],
        [post("/api/v1/contacts", size, bearer("svc_test_x")), 401],
        [post(templates, size, bearer(ready.managementToken!)), 404],
        [post("/nowhere", size), 404],
        [post("/c/none", 60_000), 404],
        [post("/p/none", 60_000), 404],
        [post("/u/none", 60_000), 404]
      ]
      await Promise.all(refused.map(([send, status]) => answers(open(send), [status])))
    })

    it("is asked for a body that it announced once the key is known", async () => {
      const body = `{"email":"asked@pace.example"}`
      const announced = (fields: string, length = body.length) =>
        post("/api/v1/contacts", length, `Expect: 100-continue\r\n${fields}`)
      const key = `Authorization: Bearer ${ready.sandbox!.apiKey}\r\n`
      const known = open(announced(key))
      await answers(known, [100])
      known.socket.write(body)
      await answers(known, [100, 201])
      // The connection is kept.
      known.socket.write(get("/health/live"))
      await answers(known, [100, 201, 200])
      for (const [sent, status] of [
        [announced(""), 401],
        [announced("Authorization: Bearer svc_test_x\r\n"), 401],
        [announced(key, 20_000_000), 413]
      ] as const) {
        const refused = open(sent)
        await until(() => expect(refused.isClosed()).toBe(true))
        expect(refused.statuses()).toEqual([status])
      }
    })

    it("must send the body at a pace: 408, whatever its size and its route", async () => {
      const key = `Authorization: Bearer ${ready.sandbox!.apiKey}\r\n`
      const slow = [
        open(post(hook(), 100, signed) + "{"),
        open(post(hook(), 900_000, signed) + "{".repeat(100)),
        open(post("/api/v1/contacts", 100, key) + "{"),
        open(post("/api/v1/contacts", 9_000_000, key) + "{".repeat(100)),
        open(
          post("/api/v1/contacts", 0, key).replace("Content-Length: 0", "Transfer-Encoding: chunked") +
            "1\r\n{\r\n"
        )
      ]
      await Promise.all(slow.map((client) => until(() => expect(client.isClosed()).toBe(true))))
      // A handler that reads its body itself responds as during an outage.
      for (const client of slow) expect([[408], [503]]).toContainEqual(client.statuses())
      const steady = open(post("/api/v1/contacts", 4_000, key) + `{"email":"steady@pace.example"`)
      for (let sent = 30; sent < 3_999; sent += 441) {
        steady.socket.write(" ".repeat(441))
        await delay(150)
      }
      steady.socket.write("}")
      await answers(steady, [201])
    })

    it("is disconnected when it says nothing, or nothing more", { timeout: 30_000 }, async () => {
      const idle = open(get("/health/live"))
      await answers(idle, [200])
      await until(() => expect(idle.isClosed()).toBe(true))
      // Bun's own timeout for headers is 10 seconds, in steps of 4.
      const silent = [open(), open("GET /health/live HTTP/1.1\r\n")]
      const trickling = open("GET /health/live HTTP/1.1\r\n")
      const timer = setInterval(() => trickling.socket.writable && trickling.socket.write("X-A: b\r\n"), 200)
      await Promise.all(
        [...silent, trickling].map((client) => until(() => expect(client.isClosed()).toBe(true), 25_000))
      )
      clearInterval(timer)
    })

    it("that sends requests ahead and reads no answer costs little, and others are answered", async () => {
      const path = "/openapi/public-v1.json"
      expect((await fetch(ready.baseUrl + path)).status).toBe(200)
      const before = await memory()
      const greedy = Array.from({ length: 16 }, () => open(get(path).repeat(1_300), "127.0.0.2"))
      for (const { socket } of greedy) socket.pause()
      let slowest = 0
      let most = before
      for (let round = 0; round < 20; round++) {
        const began = performance.now()
        expect((await fetch(`${ready.baseUrl}/health/live`)).status).toBe(200)
        slowest = Math.max(slowest, performance.now() - began)
        most = Math.max(most, await memory())
        await delay(50)
      }
      expect(slowest).toBeLessThan(5_000)
      // Keeping whole responses would take 1,400.
      expect(most - before).toBeLessThan(300)
      const patient = open(get("/health/live").repeat(500))
      await answers(
        patient,
        Array.from({ length: 500 }, () => 200)
      )
    })

    it("that sends a body in chunks of one byte costs little", async () => {
      const head = post(hook(), 0, signed).replace("Content-Length: 0", "Transfer-Encoding: chunked")
      const before = await memory()
      const chatty = Array.from({ length: 4 }, (_, index) =>
        open(`${head}${"1\r\n \r\n".repeat(200_000)}0\r\n\r\n`, `127.0.0.${20 + index}`)
      )
      let most = before
      while (chatty.some(({ statuses }) => statuses().length === 0)) {
        most = Math.max(most, await memory())
        await delay(20)
      }
      expect(chatty.map(({ statuses }) => statuses()[0])).toEqual([401, 401, 401, 401])
      // Keeping chunks separately would take 330 on Node.
      expect(most - before).toBeLessThan(150)
    })

    it("shares the limits of its network, not those of a proxy in front of it", async () => {
      const from = (address: string) => `X-Forwarded-For: 203.0.113.1, ${address}\r\n${signed}`
      const many = Array.from({ length: perNetwork }, () =>
        open(post(hook(), 900, from("198.51.100.7")), "127.0.0.250")
      )
      await delay(200)
      const further = open(get("/health/live", from("198.51.100.7")), "127.0.0.250")
      await answers(further, [503])
      expect(further.text()).toMatch(/retry-after: 1\r\n/i)
      await answers(open(get("/health/live", from("198.51.100.8")), "127.0.0.250"), [200])
      // The header has no effect if it comes from anyone else.
      await answers(open(get("/health/live", from("198.51.100.7")), "127.0.0.3"), [200])
      for (const { socket } of many) socket.destroy()
      await until(() => expect(server.err()).toBe(""))
    })

    it(
      "holds only a part of the service's memory, and waits for room in vain",
      { timeout: 40_000 },
      async () => {
        // 1.1 MB have arrived, by which a body may exceed the limit. The rest arrives at the lowest allowed rate.
        const held = open(post(hook(), 1_200_000, signed) + "a".repeat(1_100_000), "127.0.0.4")
        const timer = setInterval(() => held.socket.writable && held.socket.write("a".repeat(400)), 150)
        await delay(300)
        const late = open(post(hook(), 600_000, signed) + "a".repeat(600_000), "127.0.0.4")
        await until(() => expect(late.statuses()).toEqual([503]), 20_000)
        expect(late.text()).toMatch(/retry-after: 5\r\n/i)
        clearInterval(timer)
      }
    )
  })
})
