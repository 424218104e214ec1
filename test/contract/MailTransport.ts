/**
 * The contract of `core/ports/MailTransport`, against a mail server that the caller starts.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Scope } from "effect"
import type { OutboundMessage, Outcome } from "../../core/model/Message.ts"
import type { MailTransport } from "../../core/ports/MailTransport.ts"
import { newId, times } from "./fixtures.ts"

/** An SMTP server that accepts every message, or replies as configured. */
export interface MailServer {
  /**
   * Sets the reply at a stage from now on: a reply such as `550 5.1.1 no such user`, `drop` to close the connection instead, or
   * null to accept. `message` is the reply after the last byte.
   */
  readonly answer: (stage: "mail" | "rcpt" | "message", reply: string | null) => void
  /** The messages it accepted, in order, with dots unstuffed. */
  readonly messages: () => ReadonlyArray<{
    readonly mailFrom: string
    readonly rcptTo: ReadonlyArray<string>
    readonly raw: string
  }>
  /** The number of connections open now, and the most open at the same time. */
  readonly connections: () => { readonly open: number; readonly peak: number }
}

/** The environment of the suite. */
export interface MailTransportEnvironment {
  /** Starts a server, and a new transport that delivers mail for `example.org` to it, until the scope closes. */
  readonly start: Effect.Effect<
    { readonly server: MailServer; readonly transport: MailTransport["Service"] },
    never,
    Scope.Scope
  >
  /** The outcome of a message that a server accepted. */
  readonly success: "Delivered" | "Accepted" | "Sent"
  /** The most connections to one destination. */
  readonly maxConnections: number
}

const bytes = (text: string) => new TextEncoder().encode(text)

const messageTo = (recipient: string, changes: Partial<OutboundMessage> = {}): OutboundMessage => ({
  deliveryId: newId(),
  submissionId: newId(),
  accountId: newId(),
  returnPath: "b+token@bounces.example.com",
  recipient,
  from: { email: "hello@example.com", name: null },
  subject: "Hello",
  html: null,
  text: "It works.",
  raw: bytes(`From: hello@example.com\r\nTo: ${recipient}\r\nSubject: Hello\r\n\r\nIt works.\r\n.dotted\r\n`),
  attempts: 0,
  ...changes
})

/** The outcome of each rejection (docs/contributing/decisions.md 5). */
const rejections: ReadonlyArray<readonly ["mail" | "rcpt" | "message", string, Outcome["_tag"]]> = [
  ["rcpt", "550 5.1.1 no such user", "Bounced"],
  ["rcpt", "550 no such user", "Bounced"],
  ["rcpt", "550 5.7.1 not you", "Held"],
  ["rcpt", "550 192.0.2.1 blacklisted see spamhaus", "Held"],
  ["rcpt", "550 5.2.1 your network is blacklisted", "Held"],
  ["rcpt", "552 5.2.2 mailbox full", "MailboxFull"],
  ["rcpt", "452 4.2.2 mailbox full", "Deferred"],
  ["rcpt", "450 4.2.0 greylisted, try again in 5 minutes", "Deferred"],
  ["mail", "550 5.1.8 bad sender", "Held"],
  ["mail", "530 5.7.0 authentication required", "Held"],
  ["mail", "451 4.3.0 later", "Deferred"],
  ["message", "554 5.6.0 content", "Refused"],
  ["message", "552 5.2.2 over quota", "MailboxFull"],
  ["message", "550 no", "Refused"],
  ["message", "451 4.3.0 later", "Deferred"]
]

/**
 * Registers the tests of the port `MailTransport`.
 *
 * @param name the adapter's name
 */
export const mailTransportContract = (
  name: string,
  { maxConnections, start, success }: MailTransportEnvironment
): void => {
  const yes = Effect.succeed(true)

  describe(`MailTransport: ${name}`, () => {
    it.live("sends a message byte for byte to its recipient, with its return path", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        const message = messageTo("ada@example.org")
        expect(yield* transport.send(message, yes)).toMatchObject({
          _tag: success,
          conversation: { error: null }
        })
        expect(server.messages()).toMatchObject([
          {
            mailFrom: message.returnPath,
            rcptTo: ["ada@example.org"],
            raw: new TextDecoder().decode(message.raw)
          }
        ])
      })
    )

    it.live("classifies rejections, and sends the next message", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        for (const [stage, reply, tag] of rejections) {
          server.answer(stage, reply)
          const outcome = yield* transport.send(messageTo("ada@example.org"), yes)
          expect([reply, outcome._tag]).toEqual([reply, tag])
          expect(outcome).toHaveProperty("conversation.replies", expect.arrayContaining([reply]))
          if (reply.includes("5 minutes")) expect(outcome).toMatchObject({ retryAfter: 300_000 })
          server.answer(stage, null)
        }
        expect((yield* transport.send(messageTo("ada@example.org"), yes))._tag).toBe(success)
        expect(server.messages()).toHaveLength(1)
      })
    )

    it.live("reports Deferred when the connection is lost before the last byte, Unknown after it", () =>
      Effect.gen(function* () {
        for (const [stage, tag] of [
          ["mail", "Deferred"],
          ["rcpt", "Deferred"],
          ["message", "Unknown"]
        ] as const) {
          const { server, transport } = yield* start
          server.answer(stage, "drop")
          const outcome = yield* transport.send(messageTo("ada@example.org"), yes)
          expect([stage, outcome._tag]).toEqual([stage, tag])
        }
      })
    )

    it.live("runs the point of no return once, and sends nothing more when it returns false", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        for (const isAllowed of [true, false]) {
          let runs = 0
          const pointOfNoReturn = Effect.sync(() => {
            runs++
            return isAllowed
          })
          const outcome = yield* transport.send(messageTo("ada@example.org"), pointOfNoReturn)
          expect([outcome._tag, runs]).toEqual([isAllowed ? success : "Withdrawn", 1])
        }
        yield* Effect.sleep(50)
        expect(server.messages()).toHaveLength(1)
      })
    )

    it.live("does not run the point of no return for a message that is rejected before its content", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        server.answer("rcpt", "550 5.1.1 no such user")
        const never = Effect.die("the point of no return")
        expect((yield* transport.send(messageTo("ada@example.org"), never))._tag).toBe("Bounced")
      })
    )

    it.live("sends a large message whole, and completes it after the point of no return only", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        const raw = bytes(`Subject: large\r\n\r\n${`${"x".repeat(70)}\r\n`.repeat(100_000)}`)
        const gate = yield* Deferred.make<boolean>()
        const fiber = yield* Effect.forkChild(
          transport.send(messageTo("ada@example.org", { raw }), Deferred.await(gate))
        )
        yield* Effect.sleep(300)
        expect(server.messages()).toEqual([])
        yield* Deferred.succeed(gate, true)
        expect((yield* Fiber.join(fiber))._tag).toBe(success)
        expect(server.messages()[0]?.raw.length).toBe(raw.length)
      })
    )

    it.live("closes the connection of a message that is interrupted", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        const reached = yield* Deferred.make<void>()
        const never = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
        const fiber = yield* Effect.forkChild(transport.send(messageTo("ada@example.org"), never))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        for (let tries = 0; tries < 1000 && server.connections().open > 0; tries++) yield* Effect.sleep(20)
        expect(server.connections().open).toBe(0)
        expect(server.messages()).toEqual([])
      })
    )

    it.live("bounds the connections to one destination, and returns Busy rather than wait for long", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        const outcomes = yield* Effect.forEach(
          times(200, (index) => messageTo(`person${index}@example.org`)),
          (message) => transport.send(message, yes),
          { concurrency: "unbounded" }
        )
        const sent = outcomes.filter(({ _tag }) => _tag === success)
        const busy = outcomes.filter(({ _tag }) => _tag === "Busy")
        expect(sent.length + busy.length).toBe(200)
        expect(sent.length).toBeGreaterThan(0)
        expect(server.messages()).toHaveLength(sent.length)
        expect(server.connections().peak).toBeLessThanOrEqual(maxConnections)
      })
    )

    it.live("reports that a destination asked to be left alone, and for how long", () =>
      Effect.gen(function* () {
        const { server, transport } = yield* start
        expect(transport.busyUntil("example.org", Date.now(), 0, newId())).toBeNull()
        server.answer("rcpt", "421 4.7.0 too fast, try again in 30 seconds")
        const outcome = yield* transport.send(messageTo("ada@example.org"), yes)
        expect(outcome).toMatchObject({ _tag: "Held", retryAfter: 30_000 })
      })
    )
  })
}
