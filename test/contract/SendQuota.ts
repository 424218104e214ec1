/**
 * The contract of `core/ports/SendQuota`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { atOnce, freshAccountId, freshAccountIds, type StorageTest, successes, times } from "./fixtures.ts"

const day = "2031-05-06"

/** Tests of the port `SendQuota`. */
export const sendQuotaContract = (it: StorageTest): void => {
  describe("SendQuota", () => {
    it.effect("grants the wanted number up to the limit, by account and day", () =>
      Effect.gen(function* () {
        const { take } = yield* SendQuota
        const [a, b] = (yield* freshAccountIds(2)) as [string, string]
        const wish = (accountId: string, wanted: number, limit: number | null, on = day) => ({
          accountId,
          day: on,
          wanted,
          limit
        })
        expect(yield* take([wish(a, 3, 5), wish(b, 10, null)])).toEqual([3, 10])
        expect(yield* take([wish(b, 1, null), wish(a, 3, 5)])).toEqual([1, 2])
        expect(yield* take([wish(a, 3, 5)])).toEqual([0])
        expect(yield* take([wish(a, 3, 5, "2031-05-07")])).toEqual([3])
        expect(yield* take([wish(a, 9, 8)])).toEqual([3])
        // A lowered limit grants nothing, and revokes nothing.
        expect(yield* take([wish(a, 1, 2), wish(b, 5, 12)])).toEqual([0, 1])
        expect(yield* take([wish(a, 10, null), wish(b, 1, 12)])).toEqual([10, 0])
        expect(yield* take([wish(a, 1, 19)])).toEqual([1])
        expect(yield* take([])).toEqual([])
      })
    )

    it.effect("grants nothing for a limit of 0 or a wish of 0", () =>
      Effect.gen(function* () {
        const { take } = yield* SendQuota
        const accountId = yield* freshAccountId
        expect(yield* take([{ accountId, day, wanted: 5, limit: 0 }])).toEqual([0])
        expect(yield* take([{ accountId, day, wanted: 0, limit: null }])).toEqual([0])
        expect(yield* take([{ accountId, day, wanted: 2, limit: 2 }])).toEqual([2])
      })
    )

    it.effect("never grants beyond the limit, also concurrently", () =>
      Effect.gen(function* () {
        const { take } = yield* SendQuota
        const { run } = yield* Transaction
        const accountIds = yield* freshAccountIds(3)
        const wishes = accountIds.map((accountId) => ({ accountId, day, wanted: 7, limit: 50 }))
        const exits = yield* atOnce(
          times(10, (index) => run(take(index % 2 === 0 ? wishes : wishes.toReversed())))
        )
        const granted = successes(exits)
        expect(granted).toHaveLength(10)
        expect(granted.flat().reduce((sum, one) => sum + one, 0)).toBe(150)
      })
    )

    it.effect("releases what a rolled back transaction took", () =>
      Effect.gen(function* () {
        const { take } = yield* SendQuota
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const wish = { accountId, day, wanted: 4, limit: 5 }
        yield* Effect.exit(run(Effect.andThen(take([wish]), Effect.fail("rejected" as const))))
        expect(yield* take([wish])).toEqual([4])
      })
    )

    it.effect("prunes the counts of earlier days", () =>
      Effect.gen(function* () {
        const { prune, take } = yield* SendQuota
        const accountId = yield* freshAccountId
        const wish = (on: string) => ({ accountId, day: on, wanted: 5, limit: 5 })
        expect(yield* take([wish("2030-01-01")])).toEqual([5])
        expect(yield* take([wish("2030-01-02")])).toEqual([5])
        yield* prune("2030-01-02")
        expect(yield* take([wish("2030-01-01")])).toEqual([5])
        expect(yield* take([wish("2030-01-02")])).toEqual([0])
      })
    )
  })
}
