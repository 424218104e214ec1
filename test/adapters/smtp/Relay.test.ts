/**
 * The relay transport against a mail server built on smtp-server.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
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

it.live("a message arrives byte for byte, encrypted, with its envelope", () =>
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
        user: null
      }
    ])
  })
)

it.live("where reports come in, what a relay took is Accepted", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const outcome = yield* Effect.provide(send(messageTo("ada@example.org")), relayLayer(sink.url, true))
    expect(outcome._tag).toBe("Accepted")
  })
)

it.live("without STARTTLS, with a broken one, and encrypted from the start", () =>
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

it.live("the relay is told user and password; wrong ones put the message off", () =>
  Effect.gen(function* () {
    const sink = yield* startSink({ login: { user: "svc@relay", pass: "p:ss/w rd" } })
    const url = (pass: string) => `smtp://svc%40relay:${encodeURIComponent(pass)}@127.0.0.1:${sink.port}`
    const outcome = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(url("p:ss/w rd")))
    expect(outcome._tag).toBe("Sent")
    expect(sink.messages()).toMatchObject([{ user: "svc@relay" }])
    const wrong = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(url("secret-pass")))
    expect(wrong._tag).toBe("Deferred")
    expect(JSON.stringify(wrong)).not.toContain("secret-pass")
    expect(JSON.stringify(wrong)).not.toContain(btoa("secret-pass"))
  })
)

it.live("refusals mean what decisions 5 says, and the connection serves on", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const replies: ReadonlyArray<readonly ["mail" | "rcpt" | "message", string, string]> = [
      ["rcpt", "550 5.1.1 no such user", "Bounced"],
      ["rcpt", "550 no such user", "Bounced"],
      ["rcpt", "550 5.7.1 not you", "Refused"],
      ["rcpt", "552 5.2.2 mailbox full", "Deferred"],
      ["rcpt", "450 4.2.0 greylisted, try again in 5 minutes", "Deferred"],
      ["mail", "550 5.1.8 bad sender", "Refused"],
      ["mail", "451 4.3.0 later", "Deferred"],
      ["message", "554 5.6.0 content", "Refused"],
      ["message", "550 no", "Refused"],
      ["message", "451 4.3.0 later", "Deferred"]
    ]
    yield* Effect.gen(function* () {
      for (const [stage, reply, tag] of replies) {
        sink.answer(stage, reply)
        const outcome = yield* send(messageTo("ada@example.org"))
        expect([reply, outcome._tag]).toEqual([reply, tag])
        expect(outcome).toHaveProperty("conversation.replies", expect.arrayContaining([reply]))
        if (reply.includes("5 minutes")) expect(outcome).toMatchObject({ retryAfter: 300_000 })
        sink.answer(stage, null)
      }
      expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Sent")
    }).pipe(Effect.provide(relayLayer(sink.url)))
    expect(sink.connections().made).toBe(1)
  })
)

it.live("a quoted local part goes as it is; one that no envelope can hold is refused", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    yield* Effect.gen(function* () {
      expect((yield* send(messageTo('"a+b"@example.org')))._tag).toBe("Sent")
      const refused = yield* send(messageTo('"a<b>"@example.org'))
      expect([refused._tag, errorOf(refused)]).toEqual(["Refused", "address_unsendable"])
      expect((yield* send(messageTo("ada@example.org")))._tag).toBe("Sent")
    }).pipe(Effect.provide(relayLayer(sink.url)))
    expect(sink.messages().map((message) => message.rcptTo[0])).toEqual([
      '"a+b"@example.org',
      "ada@example.org"
    ])
  })
)

it.live("many at once share few connections", () =>
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

it.live("the point of no return comes once, before the last byte, and may refuse", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    let asked = 0
    const refuse = Effect.sync(() => {
      asked++
      return false
    })
    const withdrawn = yield* Effect.provide(send(messageTo("ada@example.org"), refuse), relayLayer(sink.url))
    expect(withdrawn._tag).toBe("Withdrawn")
    expect(asked).toBe(1)
    yield* Effect.sleep(50)
    expect(sink.messages()).toEqual([])
  })
)

it.live("a large message goes whole, and not past the point of no return before it is asked", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const line = `${"x".repeat(70)}\r\n`
    const raw = new TextEncoder().encode(`Subject: large\r\n\r\n${line.repeat(100_000)}`)
    const gate = yield* Deferred.make<boolean>()
    const fiber = yield* Effect.forkChild(
      Effect.provide(send(messageTo("ada@example.org", { raw }), Deferred.await(gate)), relayLayer(sink.url))
    )
    yield* Effect.sleep(300)
    expect(sink.messages()).toEqual([])
    yield* Deferred.succeed(gate, true)
    expect((yield* Fiber.join(fiber))._tag).toBe("Sent")
    expect(sink.messages()[0]?.raw.length).toBe(raw.length)
  })
)

it.live("interrupting closes the conversation", () =>
  Effect.gen(function* () {
    const sink = yield* startSink()
    const layer = relayLayer(sink.url)
    const asked = yield* Deferred.make<void>()
    const forever = Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
    const fiber = yield* Effect.forkChild(Effect.provide(send(messageTo("a@example.org"), forever), layer))
    yield* Deferred.await(asked)
    yield* Fiber.interrupt(fiber)
    for (let tries = 0; tries < 1000 && sink.connections().open > 0; tries++) yield* Effect.sleep(20)
    expect(sink.connections().open).toBe(0)
    expect(sink.messages()).toEqual([])
  })
)

it.live("a connection lost before the last byte defers, after it the outcome is unknown", () =>
  Effect.gen(function* () {
    for (const [stage, tag] of [
      ["mail", "Deferred"],
      ["rcpt", "Deferred"],
      ["message", "Unknown"]
    ] as const) {
      const sink = yield* startSink()
      sink.answer(stage, "drop")
      const outcome = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(sink.url))
      expect([stage, outcome._tag]).toEqual([stage, tag])
    }
    const sink = yield* startSink()
    sink.answer("message", "hang")
    const silent = yield* Effect.provide(send(messageTo("a@example.org")), relayLayer(sink.url))
    expect(silent._tag).toBe("Unknown")
    expect(errorOf(silent)).toBe("timeout")
  })
)

it.live("nobody there, or a greeting that refuses: put off, and left alone for a while", () =>
  Effect.gen(function* () {
    const gone = yield* startSink()
    yield* Effect.promise(() => gone.stop())
    yield* Effect.gen(function* () {
      const outcome = yield* send(messageTo("a@example.org"))
      expect(outcome._tag).toBe("Deferred")
      expect(errorOf(outcome)).toBe("connrefused")
      const transport = yield* MailTransport
      const now = Date.now()
      expect(transport.busyUntil("example.org", now, 0)).toBeGreaterThan(now)
      expect((yield* send(messageTo("a@example.org")))._tag).toBe("Busy")
    }).pipe(Effect.provide(relayLayer(gone.url)))

    const closed = yield* startSink()
    closed.answer("greeting", "421 4.3.2 try again in 10 minutes")
    yield* Effect.gen(function* () {
      const first = yield* send(messageTo("a@example.org"))
      expect(first).toMatchObject({ _tag: "Deferred", retryAfter: 600_000 })
      const second = yield* send(messageTo("a@example.org"))
      expect(second._tag).toBe("Deferred")
      expect(closed.connections().made).toBe(1)
    }).pipe(Effect.provide(relayLayer(closed.url)))
  })
)

it("a relay's URL", () => {
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
