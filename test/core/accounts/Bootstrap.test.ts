/**
 * Tests of the first start, including that of several processes on one database.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layer as crypto } from "../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../adapters/memory/index.ts"
import { Bootstrap } from "../../../core/accounts/Bootstrap.ts"
import { ApiKeyStore } from "../../../core/ports/ApiKeyStore.ts"
import { InstallationStore } from "../../../core/ports/InstallationStore.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { makeFakeTransport } from "../../support/fakeTransport.ts"
import { wholeCore } from "../../support/wholeCore.ts"
import { zeroBox } from "../../support/keys.ts"

it.effect("replaces secrets that were never shown, and shows only the replacements", () =>
  Effect.gen(function* () {
    const bootstrap = yield* Bootstrap
    const slow = (yield* bootstrap.prepare(0))!
    expect(yield* bootstrap.isCurrent(slow)).toBe(true)
    const next = (yield* bootstrap.prepare(0))!
    expect(next.sandboxAccountId).toBe(slow.sandboxAccountId)
    expect(yield* bootstrap.isCurrent(slow)).toBe(false)
    expect(yield* bootstrap.isCurrent(next)).toBe(true)

    // A process whose secrets were replaced does not complete the first start of another process.
    yield* bootstrap.markShown(slow)
    expect(yield* bootstrap.isCurrent(next)).toBe(true)
    const last = (yield* bootstrap.prepare(0))!
    yield* bootstrap.markShown(last)
    expect(yield* bootstrap.prepare(0)).toBeNull()

    const valid = yield* Effect.forEach([slow, next, last], bootstrap.isCurrent)
    expect(valid).toEqual([false, false, true])
    const keys = yield* (yield* ApiKeyStore).list(last.sandboxAccountId)
    expect(keys.map(({ revokedAt }) => revokedAt === null).toSorted()).toEqual([false, false, true])
  }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
)

/** A first start that reads the installation slowly, as over a slow network. */
const slowStart = Bootstrap.layer.pipe(
  Layer.provide(
    Layer.effect(
      InstallationStore,
      Effect.map(InstallationStore, (store) =>
        InstallationStore.of({ ...store, get: Effect.tap(store.get, Effect.sleep("10 millis")) })
      )
    )
  ),
  Layer.provide(Layer.mergeAll(Layer.fresh(memory), crypto, zeroBox, Ids.layer.pipe(Layer.provide(crypto))))
)

it.effect("shows secrets in one of several processes that start together, and keeps them valid", () =>
  Effect.gen(function* () {
    const bootstrap = yield* Bootstrap
    const waitTimeout = 15_000
    const started = Effect.gen(function* () {
      const secrets = yield* bootstrap.prepare(waitTimeout)
      // A server starts listening before it shows the secrets.
      yield* Effect.sleep(3_000)
      const shown = secrets !== null && (yield* bootstrap.isCurrent(secrets)) ? secrets : null
      if (shown !== null) yield* bootstrap.markShown(shown)
      return secrets
    })
    const all = yield* Effect.forkChild(Effect.all([started, started, started, started], { concurrency: 4 }))
    yield* TestClock.adjust(2 * waitTimeout)
    const made = (yield* Fiber.join(all)).filter((secrets) => secrets !== null)
    expect(made).toHaveLength(1)
  }).pipe(Effect.provide(slowStart))
)
