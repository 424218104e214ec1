import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/index.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { RateLimits } from "../../../core/ports/RateLimits.ts"
import type { Origin } from "../../../core/shared/Network.ts"
import { Problem } from "../../../core/shared/Problem.ts"
import { type Attempt, Attempts } from "../../../core/users/Attempts.ts"

const storage = AuditTrail.layer.pipe(
  Layer.provide(Ids.layer),
  Layer.provideMerge(Layer.merge(Memory.layer, Crypto.layer))
)

/** Two nodes that share one storage. */
const nodes = Effect.gen(function* () {
  const limits = yield* RateLimits
  const build = Effect.provideService(
    Effect.map(Layer.build(Layer.fresh(Attempts.layer)), (context) =>
      Effect.provideContext(Attempts, context)
    ),
    RateLimits,
    limits
  )
  return [yield* yield* build, yield* yield* build] as const
})

const from = (network: string, trust: Origin["trust"] = "None"): Origin => ({
  address: network,
  network,
  trust
})

const attempt = (values: Partial<Attempt> = {}): Attempt => ({
  email: "ada@example.org",
  origin: from("192.0.2.1"),
  device: null,
  ...values
})

const wrong = Effect.fail(Problem.of("users.sign_in_failed"))

/** The code of an attempt's problem; null for a success. */
const codeOf = <A, E>(made: Effect.Effect<A, E | Problem>) =>
  Effect.match(made, {
    onSuccess: () => null,
    onFailure: (error) => (error instanceof Problem ? error.issues[0].code : "unavailable")
  })

describe("attempts to sign in", () => {
  it.effect("are counted by address on all nodes together, and not those that succeed", () =>
    Effect.gen(function* () {
      const [one, other] = yield* nodes
      for (let index = 0; index < 20; index++) {
        expect(yield* codeOf(one.run(attempt(), Effect.void))).toBeNull()
      }
      for (let index = 0; index < 5; index++) {
        const node = index % 2 === 0 ? one : other
        // Each attempt from another network.
        const origin = from(`198.51.100.${index}`)
        expect(yield* codeOf(node.run(attempt({ origin }), wrong))).toBe("users.sign_in_failed")
        yield* TestClock.adjust("1 second")
      }
      let calls = 0
      const counted = Effect.sync(() => void calls++)
      for (const node of [one, other]) {
        expect(yield* codeOf(node.run(attempt(), counted))).toBe("users.too_many_attempts")
      }
      expect(calls).toBe(0)
      expect(yield* codeOf(one.run(attempt({ email: "grace@example.org" }), counted))).toBeNull()
      expect(yield* codeOf(one.run(attempt({ device: "known" }), counted))).toBeNull()
      // Rejected attempts do not count, so the delay ends.
      yield* TestClock.adjust("29 seconds")
      expect(yield* codeOf(other.run(attempt(), counted))).toBeNull()
    }).pipe(Effect.provide(storage))
  )

  it.effect("count each other when many are made at once", () =>
    Effect.gen(function* () {
      const [one, other] = yield* nodes
      let guesses = 0
      const guess = Effect.andThen(
        Effect.sync(() => void guesses++),
        Effect.andThen(Effect.yieldNow, wrong)
      )
      const many = Array.from({ length: 100 }, (_, index) =>
        codeOf((index % 2 === 0 ? one : other).run(attempt(), guess))
      )
      yield* Effect.all(many, { concurrency: "unbounded" })
      expect(guesses).toBeLessThanOrEqual(5)
    }).pipe(Effect.provide(storage))
  )

  it.effect(
    "block a network after 30 failures, but no trusted proxy and no browser that signed in before",
    () =>
      Effect.gen(function* () {
        const [one, other] = yield* nodes
        for (const origin of [from("203.0.113.1"), from("203.0.113.2", "Proxy")]) {
          for (let index = 0; index < 30; index++) {
            const email = `person-${index}@example.org`
            const node = index % 2 === 0 ? one : other
            expect(yield* codeOf(node.run(attempt({ email, origin }), wrong))).toBe("users.sign_in_failed")
          }
          const blocked = yield* codeOf(one.run(attempt({ origin }), Effect.void))
          expect(blocked).toBe(origin.trust === "Proxy" ? null : "users.too_many_attempts")
          expect(yield* codeOf(one.run(attempt({ origin, device: "known" }), Effect.void))).toBeNull()
        }
        yield* TestClock.adjust("15 minutes")
        yield* TestClock.adjust("10 seconds")
        expect(yield* codeOf(other.run(attempt({ origin: from("203.0.113.1") }), Effect.void))).toBeNull()
      }).pipe(Effect.provide(storage))
  )
})
