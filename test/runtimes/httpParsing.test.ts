/**
 * Tests requests whose end is ambiguous (request smuggling, RFC 9112 11.2) and requests that are too large: a server rejects them
 * and closes the connection, so that the following bytes are never read as a request.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sendRaw } from "../support/rawHttp.ts"
import {
  freshFolder,
  type ReadyFile,
  type Runtime,
  type ServerProcess,
  startServer
} from "../support/serverProcess.ts"

/** The smuggled request. Its response is recognisable. */
const smuggled = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
const smuggledAnswer = `"status":"ok"`
const hidden = smuggled.length

const large = "b".repeat(100_000)
const contact = `{"email":"a@b.example"}`

/** Bodies of ambiguous length: the header fields, and the bytes that follow them. */
const unclear: ReadonlyArray<readonly [name: string, fields: string, body: string]> = [
  [
    "Content-Length, then Transfer-Encoding",
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    `0\r\n\r\n${smuggled}`
  ],
  [
    "Transfer-Encoding, then Content-Length",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    `0\r\n\r\n${smuggled}`
  ],
  ["two Content-Lengths", `Content-Length: 0\r\nContent-Length: ${hidden}`, smuggled],
  ["a list of Content-Lengths", `Content-Length: 0, ${hidden}`, smuggled],
  ["a Content-Length with a sign", "Content-Length: +0", smuggled],
  ["a negative Content-Length", "Content-Length: -1", smuggled],
  ["a hexadecimal Content-Length", "Content-Length: 0x0", smuggled],
  ["a Content-Length beyond numbers", `Content-Length: ${"9".repeat(40)}`, smuggled],
  ["a space before the colon", `Content-Length : ${hidden}`, smuggled],
  [
    "two Transfer-Encodings",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    `0\r\n\r\n${smuggled}`
  ],
  ["a Transfer-Encoding that is none", "Transfer-Encoding: xchunked", `0\r\n\r\n${smuggled}`],
  ["chunked, and not last", "Transfer-Encoding: chunked, identity", `0\r\n\r\n${smuggled}`],
  ["a folded Transfer-Encoding", "Transfer-Encoding:\r\n chunked", `0\r\n\r\n${smuggled}`],
  ["a tab in the name", "Transfer-Encoding\t: chunked", `0\r\n\r\n${smuggled}`],
  ["a bare LF between fields", `X-A: b\nContent-Length: ${hidden}`, smuggled],
  ["a bare CR between fields", `X-A: b\rContent-Length: ${hidden}`, smuggled],
  ["a NUL in a field", `X-A: b\0\r\nContent-Length: 0`, smuggled],
  ["a chunk size that is none", "Transfer-Encoding: chunked", `zz\r\n\r\n${smuggled}`],
  ["a chunk size beyond numbers", "Transfer-Encoding: chunked", `FFFFFFFFFFFFFFFFF\r\n\r\n${smuggled}`],
  ["chunks that end in a bare LF", "Transfer-Encoding: chunked", `0\n\n${smuggled}`],
  ["a chunk longer than it says", "Transfer-Encoding: chunked", `1\r\nabc\r\n0\r\n\r\n${smuggled}`],
  ["a chunk with a large extension", "Transfer-Encoding: chunked", `0;${large}\r\n\r\n${smuggled}`]
]

/** Request heads that RFC 9112 does not allow. */
const wrongHeads: ReadonlyArray<readonly [name: string, head: string]> = [
  ["a folded field", "GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n"],
  ["lines that end in a bare LF", "GET /health/live HTTP/1.1\nHost: x\n\n"],
  ["no host", "GET /health/live HTTP/1.1\r\n\r\n"],
  ["two hosts", `GET /health/live HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n${smuggled}`],
  ["the same host twice", `GET /health/live HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n${smuggled}`],
  ["a list of hosts", "GET /health/live HTTP/1.1\r\nHost: x, y\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a version that is none", "GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n"],
  ["a handshake of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"],
  [
    "an identifier that is folded",
    "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n X-Evil: 1\r\n\r\n"
  ]
]

const tooLarge: ReadonlyArray<readonly [name: string, head: string]> = [
  ["a field of 100,000 bytes", `GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ${large}\r\n\r\n`],
  ["20,000 fields", `GET /health/live HTTP/1.1\r\nHost: x\r\n${"X-A: b\r\n".repeat(20_000)}\r\n`],
  ["a path of 100,000 bytes", `GET /${large} HTTP/1.1\r\nHost: x\r\n\r\n`]
]

describe.each<Runtime>(["node", "bun"])("a request to %s", (runtime) => {
  let folder: Awaited<ReturnType<typeof freshFolder>>
  let server: ServerProcess
  let ready: ReadyFile
  beforeAll(async () => {
    folder = await freshFolder()
    server = startServer(runtime, folder.path, { SVC_STORE: "memory" })
    ready = await server.ready()
  })
  afterAll(async () => {
    server.signal("SIGKILL")
    await server.ended
    await folder.remove()
  })
  const ask = (text: string) => sendRaw(ready.baseUrl, Buffer.from(text, "latin1"))
  const headOf = (fields: string) =>
    `POST /api/v1/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ready.sandbox!.apiKey}\r\n` +
    `Content-Type: application/json\r\n${fields}\r\n\r\n`

  it("that is well-formed gets a response, as does the next one on its connection", async () => {
    const { closed, statuses } = await ask(smuggled + smuggled)
    expect([closed, ...statuses]).toEqual([false, 200, 200])
    expect((await ask(headOf(`Content-Length: ${contact.length}`) + contact)).statuses).toEqual([201])
  })

  it("names no other contact by a part of its path", async () => {
    const auth = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ready.sandbox!.apiKey}\r\n\r\n`
    const { email, reference } = {
      email: "whole@example.org",
      reference: "/api/v1/contacts/email:whole@example.org"
    }
    const body = JSON.stringify({ email })
    expect((await ask(headOf(`Content-Length: ${body.length}`) + body)).statuses).toEqual([201])
    for (const rest of ["#", "#.example", ";", ";.example"]) {
      const { statuses } = await ask(`DELETE ${reference}${rest} ${auth}`)
      expect([rest, statuses.every((status) => status === 404 || status === 400)]).toEqual([rest, true])
    }
    expect((await ask(`GET ${reference} ${auth}`)).statuses).toEqual([200])
  })

  it("whose body's length is ambiguous is rejected, and nothing after it is read", async () => {
    const answers = await Promise.all(
      unclear.map(async ([name, fields, body]) => [name, await ask(headOf(fields) + body)] as const)
    )
    for (const [name, { closed, statuses, text }] of answers) {
      expect([
        name,
        closed,
        statuses.length <= 1,
        statuses.every((status) => status >= 400 && status < 500)
      ]).toEqual([name, true, true, true])
      expect([name, text.includes(smuggledAnswer)]).toEqual([name, false])
    }
  })

  it("whose head is invalid is rejected, and its connection closed", async () => {
    const answers = await Promise.all(
      wrongHeads.map(async ([name, head]) => [name, await ask(head)] as const)
    )
    for (const [name, { closed, statuses, text }] of answers) {
      expect([name, closed, statuses, /x-evil/i.test(text)]).toEqual([
        name,
        true,
        [expect.toSatisfy((status: number) => status === 400 || status === 505)],
        false
      ])
    }
  })

  it("whose head is too large is rejected with 431", async () => {
    const answers = await Promise.all(tooLarge.map(async ([name, head]) => [name, await ask(head)] as const))
    for (const [name, { closed, statuses }] of answers)
      expect([name, closed, ...statuses]).toEqual([name, true, 431])
  })

  it("whose method is unknown gets 400, and its connection is closed", async () => {
    const answers = await Promise.all(
      ["BREW / HTTP/1.1", "FOO /api/v1/contacts HTTP/1.1", "get /health/live HTTP/1.1"].map((line) =>
        ask(`${line}\r\nHost: x\r\n\r\n${smuggled}`)
      )
    )
    for (const { closed, statuses } of answers) {
      expect([closed, ...statuses]).toEqual([true, 400])
    }
  })

  it("that is invalid does not affect later requests", async () => {
    expect((await ask(smuggled)).statuses).toEqual([200])
    expect(server.err()).toBe("")
    expect(server.out()).not.toMatch(/level=(WARN|ERROR|FATAL)/i)
  })
})
