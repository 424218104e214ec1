/**
 * The contract of `core/ports/StoreHealth`: what can be said of a store that can be reached.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { StoreHealth } from "../../core/ports/StoreHealth.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { atOnce, type StorageTest, successes, times } from "./fixtures.ts"

/** Tests of the port `StoreHealth`. */
export const storeHealthContract = (it: StorageTest): void => {
  describe("StoreHealth", () => {
    it.effect("a store that can be reached answers", () =>
      Effect.gen(function* () {
        const { ping } = yield* StoreHealth
        yield* ping
        expect(successes(yield* atOnce(times(20, () => ping)))).toHaveLength(20)
      })
    )

    it.effect("answers inside a transaction too", () =>
      Effect.gen(function* () {
        const { ping } = yield* StoreHealth
        const { run } = yield* Transaction
        yield* run(ping)
      })
    )
  })
}
