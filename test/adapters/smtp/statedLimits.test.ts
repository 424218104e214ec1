/**
 * Tests a server that states its own limits: the transport keeps them for an hour.
 *
 * Leases use a virtual clock; the connections are real.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterEach } from "vitest"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { MailTransport } from "../../../core/ports/MailTransport.ts"
import * as LaneLeases from "../../../core/sending/shaping/LaneLeases.ts"
import { startDnsServer } from "../../support/dnsServer.ts"
import { type SmtpSink, startSmtpSink } from "../../support/smtpSink.ts"
import { directLayer, messageTo } from "./transport.ts"

const running: Array<{ readonly stop: () => Promise<void> }> = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const yes = Effect.succeed(true)
const waitBriefly = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))

/** A server that has accepted mail before, so that several connections are allowed. */
const withServer = <A, E>(
  sink: SmtpSink,
  use: (send: (count: number) => Effect.Effect<ReadonlyArray<string>>) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    running.push(sink)
    const names = {
      "example.org": { MX: [[10, "mx.example.org"]] as const },
      "mx.example.org": { A: ["127.0.0.1"] }
    }
    const dns = yield* Effect.promise(() => startDnsServer(names))
    running.push(dns)
    const body = Effect.gen(function* () {
      const { send } = yield* MailTransport
      // Virtual time advances a little in the meantime, as leases and pauses require.
      const time = Effect.forever(Effect.andThen(TestClock.adjust(100), waitBriefly))
      const one = Effect.map(send(messageTo("ada@example.org"), yes), ({ _tag }) => _tag as string)
      return yield* use((count) =>
        Effect.raceFirst(
          Effect.all(
            Array.from({ length: count }, () => one),
            { concurrency: "unbounded" }
          ),
          time
        )
      )
    })
    return yield* Effect.provide(body, directLayer(dns.address, sink.port))
  }).pipe(Effect.provide(Layer.fresh(LaneLeases.layer)), Effect.provide([crypto, Layer.fresh(memory)]))

it.effect("opens as many connections as the server states, for an hour", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ startTls: "off", delay: 30 }))
    let refused = 0
    yield* withServer(sink, (send) =>
      Effect.gen(function* () {
        sink.answer("greeting", () => {
          if (sink.connections().open <= 2) return null
          refused++
          return "421 4.7.0 too many connections, max 2"
        })
        for (let round = 0; round < 12; round++) yield* send(6)
        const before = refused
        expect(before).toBeGreaterThan(0)
        yield* TestClock.adjust(20_000)
        for (let round = 0; round < 20; round++) yield* send(6)
        expect(refused).toBe(before)
        expect(sink.messages().length).toBeGreaterThan(100)
        yield* TestClock.adjust(3_600_000)
        for (let round = 0; round < 12; round++) yield* send(6)
        expect(refused).toBeGreaterThan(before)
      })
    )
  })
)

it.effect("sends as many messages on a connection as the server states", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ startTls: "off" }))
    let connection = 0
    let carried = 0
    let refused = 0
    sink.answer("rcpt", () => {
      const { made } = sink.connections()
      if (made !== connection) carried = 0
      connection = made
      if (++carried <= 3) return null
      refused++
      return "452 4.5.3 Too many recipients"
    })
    yield* withServer(sink, (send) =>
      Effect.gen(function* () {
        for (let count = 0; count < 20; count++) expect(yield* send(1)).toEqual(["Delivered"])
        expect(refused).toBe(1)
        expect(sink.connections().made).toBe(7)
      })
    )
  })
)

it.effect("sends nothing in plaintext to a server that asked for encryption", () =>
  Effect.gen(function* () {
    const sink = yield* Effect.promise(() => startSmtpSink({ startTls: "broken" }))
    let offered = 0
    sink.answer("rcpt", () => {
      offered++
      return "530 5.7.0 Must issue a STARTTLS command first"
    })
    yield* withServer(sink, (send) =>
      Effect.gen(function* () {
        expect(yield* send(1)).toEqual(["Deferred"])
        expect(offered).toBe(1)
        yield* TestClock.adjust(60_000)
        expect(yield* send(1)).toEqual(["Deferred"])
        yield* TestClock.adjust(6 * 86_400_000)
        expect(yield* send(1)).toEqual(["Deferred"])
        expect(offered).toBe(1)
        yield* TestClock.adjust(86_400_000)
        yield* send(1)
        expect(offered).toBe(2)
      })
    )
  })
)
