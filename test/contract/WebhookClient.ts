/**
 * The contract of `core/ports/WebhookClient`: to which addresses it may connect, what it sends, and what it keeps of a response.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Fiber, type Layer, type Scope } from "effect"
import { WebhookClient } from "../../core/ports/WebhookClient.ts"

/** The environment of the suite. */
export interface WebhookClientEnvironment {
  /** The client with the rules of production: only https and public addresses. */
  readonly guarded: Layer.Layer<WebhookClient>
  /** The same client, allowed to use http and to connect to 127.0.0.1. */
  readonly local: Layer.Layer<WebhookClient>
  /** How long `local` waits between connecting and the status line, in milliseconds: 10,000 in production. */
  readonly answerMillis: number
  /** Names that resolve to an address that is not public, alone or together with public ones. */
  readonly privateNames: ReadonlyArray<string>
  /** A name that does not exist. */
  readonly unknownName: string
}

/** Hosts in URL syntax that are not public addresses, or that name none. */
export const privateHosts: ReadonlyArray<string> = [
  "127.0.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0x0.0x0.0x1",
  "0177.0.0.1",
  "017700000001",
  "127.1",
  "127.0.0.1.",
  "１２７.0.0.1",
  "127。0。0。1",
  "0",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "169.254.169.254",
  "100.64.0.1",
  "198.18.0.1",
  "192.0.2.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::8.8.8.8]",
  "[64:ff9b:1::127.0.0.1]",
  "[2002:7f00:1::]",
  "[2002:0a00:0001::1]",
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
  "[fc00::1]",
  "[fd12:3456::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[100::1]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "app.localhost",
  "ⓛocalhost",
  "metadata.google.internal",
  "printer.local",
  "intranet"
]

/** URLs that a webhook cannot have: with another scheme, a user name, or no host. */
export const invalidUrls: ReadonlyArray<string> = [
  "http://hook.test/",
  "ftp://hook.test/",
  "file:///etc/passwd",
  "https://user:word@hook.test/",
  "https://user@hook.test/",
  "https://hook.test@127.0.0.1/",
  "hook.test",
  "https://"
]

const rejected = { httpStatus: null, error: "address_refused", answer: null }

type Serve = (request: IncomingMessage, response: ServerResponse) => void

/** Serves HTTP on 127.0.0.1 until the scope closes. Provides the port and the number of connections so far. */
const served = (
  serve: Serve
): Effect.Effect<
  { readonly port: number; readonly url: string; readonly connections: () => number },
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    let count = 0
    const server = yield* Effect.acquireRelease(
      Effect.callback<Server>((resume) => {
        const listening = createServer(serve)
        listening.on("connection", () => count++)
        listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
      }),
      (open) =>
        Effect.callback<void>((resume) => {
          open.closeAllConnections()
          open.close(() => resume(Effect.void))
        })
    )
    const { port } = server.address() as AddressInfo
    return { port, url: `http://127.0.0.1:${port}`, connections: () => count }
  })

const post = (client: WebhookClient["Service"], url: string) =>
  client.post({
    pool: "contract",
    url,
    headers: { "content-type": "application/json", "webhook-id": "id" },
    body: `{"text":"ünï 漢字"}`
  })

/**
 * Registers the tests of the port `WebhookClient`.
 *
 * @param name the adapter's name
 */
export const webhookClientContract = (
  name: string,
  { answerMillis, guarded, local, privateNames, unknownName }: WebhookClientEnvironment
): void => {
  describe(`WebhookClient: ${name}`, () => {
    layer(guarded, { excludeTestServices: true })("with the rules of production", (it) => {
      it.effect("accepts a public https URL, and no other scheme, user name or missing host", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          expect(client.accepts("https://hook.example/path?x=1")).toBe(true)
          expect(client.accepts("https://1.1.1.1:8443/")).toBe(true)
          for (const url of invalidUrls) {
            expect([url, client.accepts(url)]).toEqual([url, false])
            expect(yield* post(client, url)).toMatchObject(rejected)
          }
        })
      )

      it.effect("connects to no address that is not public, however it is written", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const { connections, port } = yield* served((_, response) => response.end())
          for (const host of privateHosts) {
            const url = `https://${host}:${port}/`
            expect([host, client.accepts(url)]).toEqual([host, false])
            expect(yield* post(client, url)).toMatchObject(rejected)
          }
          expect(connections()).toBe(0)
        })
      )

      it.effect("connects to no name that has an address that is not public", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const { connections, port } = yield* served((_, response) => response.end())
          for (const host of privateNames) {
            const url = `https://${host}:${port}/`
            // A name is resolved only when a request is made.
            expect(client.accepts(url)).toBe(true)
            expect(yield* post(client, url)).toMatchObject(rejected)
          }
          expect(connections()).toBe(0)
          const { error, httpStatus } = yield* post(client, `https://${unknownName}/`)
          expect([error, httpStatus]).toEqual(["name_unknown", null])
        })
      )
    })

    layer(local, { excludeTestServices: true })("with http and private addresses allowed", (it) => {
      it.effect("posts the headers and the body it is given, and returns status and answer", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const arrived: Array<readonly [string | undefined, string | undefined, string]> = []
          const { url } = yield* served((request, response) => {
            const chunks: Array<Buffer> = []
            request.on("data", (chunk: Buffer) => chunks.push(chunk))
            request.on("end", () => {
              const { "content-type": type, "webhook-id": id } = request.headers
              expect([type, id]).toEqual(["application/json", "id"])
              arrived.push([request.method, request.url, Buffer.concat(chunks).toString("utf8")])
              response.writeHead(202).end("got it")
            })
          })
          const answer = yield* post(client, `${url}/plain?x=1`)
          expect(answer).toMatchObject({ httpStatus: 202, error: null, answer: "got it" })
          expect(answer.durationMs).toBeGreaterThanOrEqual(0)
          expect(arrived).toEqual([["POST", "/plain?x=1", `{"text":"ünï 漢字"}`]])
        })
      )

      it.effect("keeps at most 1 KB of an answer, and ends one that does not end", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const { url } = yield* served((request, response) => {
            response.writeHead(200)
            if (request.url === "/long") return response.end("ä".repeat(40_000))
            const timer = setInterval(() => response.write("."), 100)
            return response.once("close", () => clearInterval(timer))
          })
          expect(yield* post(client, `${url}/long`)).toMatchObject({
            httpStatus: 200,
            answer: "ä".repeat(512)
          })
          const dripped = yield* post(client, `${url}/drip`)
          expect(dripped).toMatchObject({ httpStatus: 200, error: null })
          expect(dripped.answer).toMatch(/^\.+$/)
        })
      )

      it.effect("follows no redirect", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const paths: Array<string | undefined> = []
          const { url } = yield* served((request, response) => {
            paths.push(request.url)
            response.writeHead(307, { location: "/elsewhere" }).end()
          })
          expect(yield* post(client, `${url}/here`)).toMatchObject({ httpStatus: 307, error: "redirect" })
          expect(paths).toEqual(["/here"])
        })
      )

      it.effect("ends with an error when no status line comes in time, or nothing listens", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          const { url } = yield* served(() => undefined)
          const hung = yield* post(client, url)
          expect(hung).toMatchObject({ httpStatus: null, error: "timeout", answer: null })
          expect(hung.durationMs).toBeGreaterThanOrEqual(answerMillis - 10)
          expect(yield* post(client, "http://127.0.0.1:1/")).toMatchObject({
            httpStatus: null,
            error: "connection_refused"
          })
        })
      )

      it.effect("closes the connection of a request that is interrupted", () =>
        Effect.gen(function* () {
          const client = yield* WebhookClient
          let closed = () => undefined as void
          const isClosed = new Promise<void>((resolve) => (closed = resolve))
          let arrived = () => undefined as void
          const hasArrived = new Promise<void>((resolve) => (arrived = resolve))
          const { url } = yield* served((request) => {
            request.socket.once("close", closed)
            arrived()
          })
          const fiber = yield* Effect.forkChild(post(client, url))
          yield* Effect.promise(() => hasArrived)
          yield* Fiber.interrupt(fiber)
          yield* Effect.promise(() => isClosed)
        })
      )
    })
  })
}
