/**
 * Tests the webhook client on Node and Bun: to which addresses it connects, and how it reads responses.
 *
 * @module
 */
import { execFile } from "node:child_process"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AttemptAnswer } from "../../../core/model/Webhook.ts"
import { invalidUrls, privateHosts } from "../../contract/WebhookClient.ts"
import { certificate, key } from "../../support/certificate.ts"
import { type DnsServer, startDnsServer } from "../../support/dnsServer.ts"
import { type Receiver, startReceiver } from "../../support/receiver.ts"
import type { Runtime } from "../../support/serverProcess.ts"
import type { ProbeOrder } from "../../support/webhookProbe.ts"

const root = join(import.meta.dirname, "../../..")
const run = promisify(execFile)

type Answer = AttemptAnswer & { readonly accepted: boolean }

/** A public address that is assigned to no host, so it never responds. */
const unassigned = "192.0.1.1"

let dns: DnsServer
let receiver: Receiver
let secure: { readonly port: number; readonly stop: () => void }
/** A server that counts connections and responds only as a test says. */
let bare: {
  readonly port: number
  readonly connections: () => number
  says: (socket: Socket, request: Buffer) => void
  readonly stop: () => void
}

beforeAll(async () => {
  dns = await startDnsServer()
  receiver = await startReceiver()
  const tls = createHttpsServer({ cert: certificate, key }, (request, response) => {
    request.resume().once("end", () => response.end(request.headers.host))
  })
  await new Promise<void>((resolve) => tls.listen(0, "127.0.0.1", resolve))
  secure = { port: (tls.address() as AddressInfo).port, stop: () => tls.close() }
  let connections = 0
  const sockets = new Set<Socket>()
  const plain = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("data", (request: Buffer) => bare.says(socket, request))
  })
  await new Promise<void>((resolve) => plain.listen(0, resolve))
  bare = {
    port: (plain.address() as AddressInfo).port,
    connections: () => connections,
    says: () => {},
    stop: () => {
      for (const socket of sockets) socket.destroy()
      plain.close()
    }
  }
})

afterAll(async () => {
  bare.stop()
  secure.stop()
  await receiver.stop()
  await dns.stop()
})

for (const runtime of ["node", "bun"] as const satisfies ReadonlyArray<Runtime>) {
  const probe = async (
    urls: ReadonlyArray<string>,
    options: Partial<ProbeOrder["options"]> = {},
    more: Partial<ProbeOrder> = {}
  ): Promise<ReadonlyArray<Answer>> => {
    const order: ProbeOrder = {
      options: { allowPrivate: false, answerMillis: 8_000, ...options },
      dnsServers: [dns.address],
      urls,
      ...more
    }
    const { stdout } = await run(
      join(root, "node_modules/.bin", runtime),
      [join(root, "test/support/webhookProbe.ts"), JSON.stringify(order)],
      { timeout: 100_000 }
    )
    return JSON.parse(stdout) as ReadonlyArray<Answer>
  }
  const open = { allowPrivate: true }

  describe(`on ${runtime}`, () => {
    it("connects to no address that is not public, however it is written", async () => {
      const { port } = bare
      const before = bare.connections()
      const answers = await probe(privateHosts.map((host) => `https://${host}:${port}/`))
      expect(
        answers.map(({ accepted, error, httpStatus }, index) => [
          privateHosts[index],
          accepted,
          error,
          httpStatus
        ])
      ).toEqual(privateHosts.map((host) => [host, false, "address_refused", null]))
      expect(bare.connections()).toBe(before)
    })

    it("accepts no other scheme, and no user name", async () => {
      expect((await probe(invalidUrls)).map(({ accepted, error }) => [accepted, error])).toEqual(
        invalidUrls.map(() => [false, "address_refused"])
      )
    })

    it("connects to no name that has an address that is not public", async () => {
      const { port } = bare
      const before = bare.connections()
      dns.set("private.test", { A: ["127.0.0.1"] })
      dns.set("mixed.test", { A: [unassigned, "127.0.0.1"] })
      dns.set("mapped.test", { A: [unassigned], AAAA: ["::ffff:127.0.0.1"] })
      dns.set("nat64.test", { AAAA: ["64:ff9b::7f00:1"] })
      dns.set("sixtofour.test", { AAAA: ["2002:7f00:1::1"] })
      dns.set("loop.test", { AAAA: ["::1"] })
      dns.set("alias.test", { CNAME: "private.test" })
      dns.set("xn--bcher-kva.test", { A: ["10.1.2.3"] })
      const names = [
        "private.test",
        "private.test.",
        "PRIVATE.test",
        "mixed.test",
        "mapped.test",
        "nat64.test",
        "sixtofour.test",
        "loop.test",
        "alias.test",
        "bücher.test"
      ]
      const answers = await probe(names.map((name) => `https://${name}:${port}/`))
      expect(answers.map(({ accepted, error }, index) => [names[index], accepted, error])).toEqual(
        names.map((name) => [name, true, "address_refused"])
      )
      expect(bare.connections()).toBe(before)
      dns.fail("broken.test", "servfail")
      const lost = await probe(["https://unknown.test/", "https://broken.test/"])
      expect(lost.map(({ error }) => error)).toEqual(["name_unknown", "name_unavailable"])
    })

    it("looks a name up once, and connects to the address that was checked", async () => {
      const { port } = bare
      const before = bare.connections()
      // The name resolves to a public address at first, and to a private one from the second query on.
      const name = `rebinding-${runtime}.test`
      dns.set(name, { A: [unassigned] })
      const asked = () => dns.questions().filter((question) => question.endsWith(` ${name}`)).length
      const askedBefore = asked()
      const turning = setInterval(() => {
        if (dns.questions().includes(`A ${name}`)) dns.set(name, { A: ["127.0.0.1"] })
      }, 1)
      const [first] = await probe([`https://${name}:${port}/`], { answerMillis: 700 })
      clearInterval(turning)
      expect(first!.httpStatus).toBeNull()
      expect(first!.error).not.toBe("address_refused")
      expect(asked() - askedBefore).toBe(2)
      dns.set(name, { A: ["127.0.0.1"] })
      const [second] = await probe([`https://${name}:${port}/`])
      expect(second!.error).toBe("address_refused")
      expect(bare.connections()).toBe(before)
      dns.set(name, null)
    })

    it("verifies certificates for the name of the URL", async () => {
      dns.set("hook.test", { A: ["127.0.0.1"] })
      dns.set("other.test", { A: ["127.0.0.1"] })
      const url = (host: string) => `https://${host}:${secure.port}/`
      const trusted = { ...open, ca: certificate }
      expect(await probe([url("hook.test")], trusted)).toMatchObject([
        { httpStatus: 200, error: null, answer: `hook.test:${secure.port}` }
      ])
      expect(await probe([url("other.test"), url("127.0.0.1")], trusted)).toMatchObject([
        { httpStatus: null, error: expect.stringMatching(/^tls_/) },
        { httpStatus: null, error: expect.stringMatching(/^tls_/) }
      ])
      expect(await probe([url("hook.test")], open)).toMatchObject([
        { httpStatus: null, error: expect.stringMatching(/^tls_/) }
      ])
    })

    it("sends the body unchanged, and keeps the beginning of the response", async () => {
      receiver.answer("/long", (response) => response.writeHead(200).end("ä".repeat(40_000)))
      const before = receiver.received("/plain?x=1").length
      const answers = await probe([`${receiver.url}/plain?x=1`, `${receiver.url}/long`], open)
      const sent = receiver.received("/plain?x=1")
      expect(sent).toHaveLength(before + 1)
      expect(sent.at(-1)).toMatchObject({
        method: "POST",
        body: `{"text":"ünï 漢字"}`,
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          "content-type": "application/json",
          "webhook-id": "id"
        }
      })
      expect(answers[0]).toMatchObject({ httpStatus: 204, error: null, answer: null })
      expect(answers[1]).toMatchObject({ httpStatus: 200, answer: "ä".repeat(512) })
    })

    it("times out when no status line comes in time, and only then", async () => {
      receiver.answer("/hang", () => {})
      receiver.answer("/late", (response) => setTimeout(() => response.writeHead(200).end(), 500))
      receiver.answer("/drip", (response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write("."), 100)
        response.once("close", () => clearInterval(timer))
      })
      const url = (path: string) => receiver.url + path
      const impatient = { ...open, answerMillis: 3_000 }
      bare.says = () => {}
      const urls = [url("/hang"), url("/late"), url("/drip"), `http://127.0.0.1:${bare.port}/`]
      const [hung, late, drip, silent] = await probe(urls, impatient, { together: true })
      expect(hung).toMatchObject({ httpStatus: null, error: "timeout" })
      expect(hung!.durationMs).toBeGreaterThanOrEqual(2_990)
      expect(hung!.durationMs).toBeLessThan(9_000)
      expect(late).toMatchObject({ httpStatus: 200, error: null })
      expect(drip).toMatchObject({ httpStatus: 200, error: null, answer: expect.stringMatching(/^\.+$/) })
      expect(silent).toMatchObject({ httpStatus: null, error: "timeout" })
    })

    it("survives malformed responses", async () => {
      const url = `http://127.0.0.1:${bare.port}/`
      const says: ReadonlyArray<(socket: Socket) => void> = [
        (socket) => socket.destroy(),
        (socket) => socket.end(),
        (socket) => socket.end("nonsense\r\n\r\n"),
        (socket) => socket.end("HTTP/1.1 200"),
        (socket) => socket.end(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)))
      ]
      for (const say of says) {
        bare.says = say
        const [answer] = await probe([url], open)
        expect(answer!.httpStatus).toBeNull()
        expect(answer!.error).toMatch(/^[a-z_]+$/)
      }
      bare.says = (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf")
      expect(await probe([url], open)).toMatchObject([{ httpStatus: 200, answer: "half" }])
      bare.says = () => {}
      expect(await probe(["http://127.0.0.1:1/"], open)).toMatchObject([{ error: "connection_refused" }])
    })

    it("takes the status line for the answer, whatever follows it and whenever", async () => {
      const followed: ReadonlyArray<readonly [number, ReadonlyArray<string>]> = [
        [204, ["HTTP/1.1 204 No Content\r\n\r\n", "hello"]],
        [204, ["HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n", "hello"]],
        [204, ["HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n", "2\r\nok\r\n0\r\n\r\n"]],
        [200, ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "ok", "more, and \0\r\n\r\n"]],
        [202, ["HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n", "zzz\r\n"]],
        [200, ["HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n", "no colon\r\n\r\n", "ok"]],
        [200, ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n", "ok"]],
        [307, ["HTTP/1.1 307 Temporary Redirect\r\n", "\0\0\0\0\r\n\r\n"]]
      ]
      // Without a pause between the pieces, and with two kinds of pauses.
      const pauses = [-1, 0, 2]
      const urls = followed.flatMap((_, index) =>
        pauses.flatMap((pause) =>
          Array.from({ length: 5 }, () => `http://127.0.0.1:${bare.port}/${index}/${pause}`)
        )
      )
      const answering = async (socket: Socket, request: Buffer) => {
        const [, index, pause] = /^POST \/(\d+)\/(\S+)/.exec(request.toString("latin1"))!
        const pieces = followed[Number(index)]![1]
        for (const piece of pause === "-1" ? [pieces.join("")] : pieces) {
          if (!socket.destroyed) socket.write(piece)
          await new Promise((resolve) => setTimeout(resolve, Number(pause)))
        }
      }
      bare.says = (socket, request) => {
        socket.on("data", (next: Buffer) => void answering(socket, next))
        void answering(socket, request)
      }
      const answers = await probe(urls, open)
      expect(answers.map(({ error, httpStatus }, index) => [urls[index], httpStatus, error])).toEqual(
        urls.map((url) => {
          const status = followed[Number(new URL(url).pathname.split("/")[1])]![0]
          return [url, status, status === 307 ? "redirect" : null]
        })
      )
      // Bytes that arrive on a kept connection together with the next request are not part of its response.
      let requests = 0
      bare.says = (socket) => {
        const first = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        requests++
        socket.write(first)
        socket.on("data", () => {
          requests++
          socket.write(`junk of the answer before${first}`)
        })
      }
      const url = `http://127.0.0.1:${bare.port}/`
      expect((await probe([url, url, url], open)).map(({ httpStatus }) => httpStatus)).toEqual([
        200, 200, 200
      ])
      expect(requests).toBe(5)
      bare.says = () => {}
    })

    it("keeps connections, and opens a new one when a kept one was closed", async () => {
      const before = new Set(receiver.received("/kept").map((one) => one.connection))
      const kept = await probe(
        Array.from({ length: 6 }, () => `${receiver.url}/kept`),
        open
      )
      expect(kept.every(({ httpStatus }) => httpStatus === 204)).toBe(true)
      const used = new Set(receiver.received("/kept").map((one) => one.connection))
      expect(used.size - before.size).toBe(1)
      let served = 0
      bare.says = (socket) => {
        served++
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        // Keeps the connection open, and closes it at the next request.
        socket.once("data", () => socket.destroy())
      }
      const url = `http://127.0.0.1:${bare.port}/`
      expect((await probe([url, url, url], open)).map(({ httpStatus }) => httpStatus)).toEqual([
        200, 200, 200
      ])
      expect(served).toBe(3)
      bare.says = () => {}
    })
  })
}
