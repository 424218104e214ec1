/**
 * The contract of `core/ports/StorageHealth`: what can be said of a store that can be reached.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { atOnce, type StorageTest, successes, times } from "./fixtures.ts"

/** Tests of the port `StorageHealth`. */
export const storageHealthContract = (it: StorageTest): void => {
  describe("StorageHealth", () => {
    it.effect("succeeds for an available database", () =>
      Effect.gen(function* () {
        const { ping } = yield* StorageHealth
        yield* ping
        expect(successes(yield* atOnce(times(20, () => ping)))).toHaveLength(20)
      })
    )

    it.effect("measures the database, or says that its size is not known", () =>
      Effect.gen(function* () {
        const size = yield* (yield* StorageHealth).size
        expect(size === null || (Number.isSafeInteger(size) && size > 100_000)).toBe(true)
      })
    )

    it.effect("succeeds inside a transaction too", () =>
      Effect.gen(function* () {
        const { ping } = yield* StorageHealth
        const { run } = yield* Transaction
        yield* run(ping)
      })
    )
  })
}
