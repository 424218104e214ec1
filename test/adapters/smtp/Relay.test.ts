/**
 * Tests the relay transport: encryption, login, and the use of its connections.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterEach } from "vitest"
import { parseRelay } from "../../../adapters/smtp/transport/Relay.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import { type SinkOptions, type SmtpSink, startSmtpSink } from "../../support/smtpSink.ts"
import { errorOf, messageTo, relayLayer, send } from "./transport.ts"

const running: Array<{ readonly stop: () => Promise<void> }> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const startSink = (options?: SinkOptions): Effect.Effect<SmtpSink> =>
  Effect.promise(async () => {
    const sink = await startSmtpSink(options)
    running.push(sink)
    return sink
  })

it.live("the relay transport sends a message byte for byte, encrypted, with its envelope", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const message = messageTo("ada@example.org")
    const outcome = yield* Effect.provide(send(message), relayLayer(sink.url))
    expect(outcome).toMatchObject({ _tag: "Sent", conversation: { host: "127.0.0.1", error: null } })
    expect(outcome).toHaveProperty("conversation.tls", "TLSv1.3")
    expect(sink.messages()).toEqual([
      {
        mailFrom: "b+token@bounces.example.com",
        rcptTo: ["ada@example.org"],
        raw: new TextDecoder().decode(message.raw),
        secure: true,
        clientName: "mail.svc.test",
        clientAddress: "127.0.0.1",
        user: null
      }
    ])
  })
)

it.live("the relay transport returns Accepted where reports are received", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const outcome = yield* Effect.provide(send(messageTo("ada@example.org")), relayLayer(sink.url, true))
    expect(outcome._tag).toBe("Accepted")
  })
)

it.live("the relay transport sends without STARTTLS, with a broken one, and with implicit TLS", () =>
  Effect.gen(function* () {
    const ways: ReadonlyArray<readonly [SinkOptions, boolean]> = [
      [{ startTls: "off" }, false],
      [{ startTls: "broken" }, false],
      [{ implicitTls: true }, true]
    ]
    for (const [options, secure] of ways) {
      const sink = yield* startSink(options)
      const outcome = yield* Effect.provide(send(messageTo("ada@example.org")), relayLayer(sink.url))
      expect(outcome._tag).toBe("Sent")
      expect(sink.messages()).toMatchObject([{ secure }])
    }
  })
)

it.live("the relay transport logs in, and holds mail when the login is rejected", () =>
  Effect.gen(function* () {
    const sink = yield* startSink({ login: { user: "svc@relay", pass: "p:ss/w rd" } })
    const url = (pass: string) => `smtp://svc%40relay:${encodeURIComponent(pass)}@127.0.0.1:${sink.port}`
    const outcome = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(url("p:ss/w rd")))
    expect(outcome._tag).toBe("Sent")
    expect(sink.messages()).toMatchObject([{ user: "svc@relay" }])
    const wrong = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(url("secret-pass")))
    expect(wrong).toMatchObject({
      _tag: "Held",
      rejection: { lane: "relay", answer: { action: "PauseSite" } }
    })
    expect(JSON.stringify(wrong)).not.toContain("secret-pass")
    expect(JSON.stringify(wrong)).not.toContain(btoa("secret-pass"))
  })
)

it.live("the relay transport uses its connection again after a rejection at any stage", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    yield* Effect.gen(function* () {
      for (const stage of ["mail", "rcpt", "message"] as const) {
        sink.answer(stage, "451 4.3.0 later")
        expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Deferred")
        sink.answer(stage, null)
      }
      expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Sent")
    }).pipe(Effect.provide(relayLayer(sink.url)))
    expect(sink.connections().made).toBe(1)
  })
)

it.live(
  "the relay transport sends a quoted local part unchanged, and refuses one that no envelope can contain",
  () =>
    Effect.gen(function* () {
      const sink = yield* startSink()
      yield* Effect.gen(function* () {
        expect((yield* send(messageTo('"a+b"@example.org')))._tag).toBe("Sent")
        const unsendable = yield* send(messageTo('"a<b>"@example.org'))
        expect([unsendable._tag, errorOf(unsendable)]).toEqual(["Refused", "address_unsendable"])
        expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Sent")
      }).pipe(Effect.provide(relayLayer(sink.url)))
      expect(sink.messages().map((message) => message.rcptTo[0])).toEqual([
        '"a+b"@example.org',
        "ada@example.org"
      ])
    })
)

it.live("the relay transport sends many messages over its few connections", () =>
  Effect.gen(function* () {
    const sink = yield* startSink({ delay: 5 })
    const recipients = Array.from({ length: 60 }, (_, index) => `person${index}@example.org`)
    const outcomes = yield* Effect.forEach(recipients, (recipient) => send(messageTo(recipient)), {
      concurrency: "unbounded"
    }).pipe(Effect.provide(relayLayer(`${sink.url}?pool=4`)))
    const sent = outcomes.filter((outcome) => outcome._tag === "Sent").length
    const busy = outcomes.filter((outcome) => outcome._tag === "Busy").length
    expect(sent + busy).toBe(60)
    expect(sent).toBeGreaterThanOrEqual(40)
    expect(sink.messages()).toHaveLength(sent)
    expect(sink.connections()).toMatchObject({ peak: 4, made: 4 })
  })
)

it.live("the relay transport returns Unknown when no reply comes after the last byte", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    sink.answer("message", "hang")
    const silent = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(sink.url))
    expect([silent._tag, errorOf(silent)]).toEqual(["Unknown", "timeout"])
  })
)

it.live("the relay transport defers when the relay is unreachable or rejects, and suspends its lane", () =>
  Effect.gen(function* () {
    const gone = yield* startSink()
    yield* Effect.promise(() => gone.stop())
    yield* Effect.gen(function* () {
      const outcome = yield* send(messageTo("a@example.org"))
      expect(outcome._tag).toBe("Deferred")
      expect(errorOf(outcome)).toBe("connrefused")
      const transport = yield* MailTransport
      expect(transport.busyUntil("example.org", Date.now(), 0, "account")).toBeNull()
      for (let again = 0; again < 2; again++) yield* send(messageTo("a@example.org"))
      const now = Date.now()
      expect(transport.busyUntil("example.org", now, 0, "account")).toBeGreaterThan(now + 20_000)
      expect((yield* send(messageTo("a@example.org")))._tag).toBe("Busy")
    }).pipe(Effect.provide(relayLayer(gone.url)))

    const closed = yield* startSink()
    closed.answer("greeting", "421 4.3.2 try again in 10 minutes")
    yield* Effect.gen(function* () {
      const first = yield* send(messageTo("a@example.org"))
      expect(first).toMatchObject({ _tag: "Deferred", retryAfter: 600_000 })
      const second = yield* send(messageTo("a@example.org"))
      expect(second._tag).toBe("Busy")
      expect(closed.connections().made).toBe(1)
    }).pipe(Effect.provide(relayLayer(closed.url)))
  })
)

it("parseRelay reads host, port, encryption, login and pool from a URL", () => {
  const peer = (url: string) => parseRelay(url, "us").peer
  expect(peer("smtp://relay.test")).toMatchObject({
    host: "relay.test",
    port: 587,
    tls: "offered",
    verify: false
  })
  expect(peer("smtps://relay.test")).toMatchObject({
    port: 465,
    tls: "implicit",
    verify: true,
    credentials: null
  })
  expect(peer("smtps://relay.test?verify=false")).toMatchObject({ verify: false })
  expect(peer("smtp://u:p@relay.test:2525")).toMatchObject({ port: 2525, tls: "required", verify: true })
  expect(peer("smtp://u:p@127.0.0.1")).toMatchObject({ tls: "offered", verify: false })
  expect(peer("smtp://u:p@[::1]:25")).toMatchObject({ host: "::1", port: 25, tls: "offered" })
  expect(peer("smtp://a%40b:c%2Fd@relay.test").credentials).toEqual({ user: "a@b", pass: "c/d" })
  expect(
    ["", "?pool=3", "?pool=0", "?pool=999", "?pool=x"].map(
      (query) => parseRelay(`smtp://a${query}`, "us").pool
    )
  ).toEqual([10, 3, 1, 100, 10])
})
