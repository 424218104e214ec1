/**
 * The first start of a store that several processes start on.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { FirstStart } from "../../core/accounts/FirstStart.ts"
import { ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
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
