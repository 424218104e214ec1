/**
 * The first start of a store that several processes start on.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../adapters/memory/index.ts"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
import { InstanceStore } from "../../core/ports/InstanceStore.ts"
import { Ids } from "../../core/shared/Ids.ts"
import { makeFakeTransport } from "../support/fakeTransport.ts"
import { wholeCore } from "../support/wholeCore.ts"

it.effect(
  "secrets that were given up before they were shown are not shown, and those in their place are",
  () =>
    Effect.gen(function* () {
      const firstStart = yield* FirstStart
      const slow = (yield* firstStart.prepare(0))!
      expect(yield* firstStart.areLast(slow)).toBe(true)
      const next = (yield* firstStart.prepare(0))!
      expect(next.sandboxAccountId).toBe(slow.sandboxAccountId)
      expect(yield* firstStart.areLast(slow)).toBe(false)
      expect(yield* firstStart.areLast(next)).toBe(true)

      // Who was given up and does not know it ends no other's first start.
      yield* firstStart.announced(slow)
      expect(yield* firstStart.areLast(next)).toBe(true)
      const last = (yield* firstStart.prepare(0))!
      yield* firstStart.announced(last)
      expect(yield* firstStart.prepare(0)).toBeNull()

      const valid = yield* Effect.forEach([slow, next, last], firstStart.areLast)
      expect(valid).toEqual([false, false, true])
      const keys = yield* (yield* ApiKeyStore).list(last.sandboxAccountId)
      expect(keys.map(({ revokedAt }) => revokedAt === null).toSorted()).toEqual([false, false, true])
    }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
)

/** A first start that learns late how far the installation is, as over a network. */
const distant = FirstStart.layer.pipe(
  Layer.provide(
    Layer.effect(
      InstanceStore,
      Effect.map(InstanceStore, (store) =>
        InstanceStore.of({ ...store, get: Effect.tap(store.get, Effect.sleep("10 millis")) })
      )
    )
  ),
  Layer.provide(Layer.mergeAll(Layer.fresh(memory), crypto, Ids.layer.pipe(Layer.provide(crypto))))
)

it.effect("of processes that start at one moment one shows secrets, which stay the store's", () =>
  Effect.gen(function* () {
    const firstStart = yield* FirstStart
    const patience = 15_000
    const started = Effect.gen(function* () {
      const secrets = yield* firstStart.prepare(patience)
      // Between its first secrets and their being shown, a server listens.
      yield* Effect.sleep(3_000)
      const shown = secrets !== null && (yield* firstStart.areLast(secrets)) ? secrets : null
      if (shown !== null) yield* firstStart.announced(shown)
      return secrets
    })
    const all = yield* Effect.forkChild(Effect.all([started, started, started, started], { concurrency: 4 }))
    yield* TestClock.adjust(2 * patience)
    const made = (yield* Fiber.join(all)).filter((secrets) => secrets !== null)
    expect(made).toHaveLength(1)
  }).pipe(Effect.provide(distant))
)
