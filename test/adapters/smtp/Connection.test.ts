/**
 * Tests the encryption of a connection, and what is not sent without it.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:net"
import { afterEach } from "vitest"
import { open, type Peer } from "../../../adapters/smtp/transport/Connection.ts"
import { startSmtpScript } from "../../support/smtpScript.ts"
import { startSmtpSink } from "../../support/smtpSink.ts"
import { shortLimits } from "./transport.ts"

const running: Array<{ readonly stop: () => Promise<void> }> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const peerAt = (port: number, changes: Partial<Peer>): Peer => ({
  host: "relay.test",
  address: "127.0.0.1",
  port,
  tls: "required",
  verify: true,
  credentials: { user: "svc", pass: "secret" },
  showsReplies: true,
  name: "mail.svc.test",
  ...changes
})

it.live("open rejects an invalid certificate where the certificate is verified", () =>
  Effect.gen(function* () {
    for (const implicitTls of [false, true]) {
      const sink = yield* Effect.promise(() => startSmtpSink({ implicitTls }))
      running.push(sink)
      const peer = peerAt(sink.port, { tls: implicitTls ? "implicit" : "required", credentials: null })
      const failure = yield* Effect.flip(open(peer, shortLimits))
      expect(failure).toMatchObject({ tlsFailed: true, reply: null })
      const connection = yield* open({ ...peer, verify: false }, shortLimits)
      connection.quit()
    }
  })
)

it.live("open sends no password without encryption", () =>
  Effect.gen(function* () {
    for (const ehlo of [
      "250-script\r\n250 AUTH PLAIN",
      "250-script\r\n250-STARTTLS\r\n250 AUTH PLAIN",
      "502 no"
    ]) {
      const script = yield* Effect.promise(() => startSmtpScript({ ehlo }))
      running.push(script)
      const failure = yield* Effect.flip(open(peerAt(script.port, {}), shortLimits))
      expect(failure._tag).toBe("CannotOpen")
      expect(script.commands().join(" ")).not.toMatch(/AUTH|c2VjcmV0|secret/)
    }
  })
)

it.live("open fails with the reply to a wrong password, and without the password", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ login: { user: "svc", pass: "other" } }))
    running.push(sink)
    const failure = yield* Effect.flip(open(peerAt(sink.port, { verify: false }), shortLimits))
    expect(failure).toMatchObject({ stage: "Auth", reply: { code: 535, status: "5.7.8" }, tlsFailed: false })
    expect(JSON.stringify(failure)).not.toMatch(/secret/)
  })
)

it.live("open keeps replies without characters that a database cannot hold", () =>
  Effect.gen(function* () {
    const script = yield* Effect.promise(() => startSmtpScript({ greeting: "554 a\0b\u0007 \ud83d" }))
    running.push(script)
    const failure = yield* Effect.flip(open(peerAt(script.port, {}), shortLimits))
    expect(failure.conversation.replies).toHaveLength(1)
    expect(failure.conversation.replies[0]).toMatch(/^554 a b /)
    expect(failure.conversation.replies[0]?.isWellFormed()).toBe(true)
  })
)

it.live("open gives the server its time for the greeting, and as long again for EHLO", () =>
  Effect.gen(function* () {
    const slow = createServer((socket) => {
      socket.on("error", () => undefined)
      setTimeout(() => socket.write("220 slow\r\n"), 300)
      socket.once("data", () => setTimeout(() => socket.write("250 slow\r\n"), 300))
    })
    yield* Effect.promise(() => new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve)))
    running.push({ stop: () => new Promise((resolve) => slow.close(() => resolve())) })
    const { port } = slow.address() as { readonly port: number }
    const peer = peerAt(port, { tls: "never", credentials: null })
    const opened = yield* open(peer, { ...shortLimits, openMillis: 500, helloMillis: 500 })
    opened.quit()
    const failure = yield* Effect.flip(open(peer, { ...shortLimits, openMillis: 500, helloMillis: 100 }))
    expect(failure).toMatchObject({ stage: "Ehlo", conversation: { error: "timeout" } })
  })
)
