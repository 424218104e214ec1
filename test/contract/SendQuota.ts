/**
 * The contract of `core/ports/SendQuota`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type QueueCount, SendQuota } from "../../core/ports/SendQuota.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  freshAccountId,
  freshAccountIds,
  newId,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const day = "2031-05-06"

const setCount = Effect.fnUntraced(function* (count: QueueCount) {
  const { lock, recount } = yield* SendQuota
  const { run } = yield* Transaction
  yield* run(Effect.andThen(lock(count.accountId, count.most), recount(count)))
})

/** Tests of the port `SendQuota`. */
export const sendQuotaContract = (it: StorageTest): void => {
  describe("SendQuota", () => {
    it.effect("grants the wanted number up to the limit, by account and day", () =>
      Effect.gen(function* () {
        const { take, taken } = yield* SendQuota
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
        // A lowered limit grants nothing and revokes nothing.
        expect(yield* take([wish(a, 1, 2), wish(b, 5, 12)])).toEqual([0, 1])
        expect(yield* take([wish(a, 10, null), wish(b, 1, 12)])).toEqual([10, 0])
        expect(yield* take([wish(a, 1, 19)])).toEqual([1])
        expect(yield* take([])).toEqual([])
        expect([yield* taken(a, day), yield* taken(a, "2031-05-07"), yield* taken(b, "2031-05-07")]).toEqual([
          19, 3, 0
        ])
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

    it.effect("reserves room in a queue up to its bound, once it was counted", () =>
      Effect.gen(function* () {
        const { release, reserve } = yield* SendQuota
        const [accountId, other] = (yield* freshAccountIds(2)) as [string, string]
        const wish = (wanted: number, most = 10) => ({ accountId, wanted, most })
        expect(yield* reserve(wish(1))).toEqual({ granted: 0, countedAt: null })
        yield* setCount({ accountId, most: 10, waiting: 3, at: 1_000 })
        expect(yield* reserve(wish(4))).toEqual({ granted: 4, countedAt: 1_000 })
        expect(yield* reserve(wish(50))).toEqual({ granted: 3, countedAt: 1_000 })
        expect(yield* reserve(wish(1))).toEqual({ granted: 0, countedAt: 1_000 })
        yield* release(accountId, 2)
        expect(yield* reserve(wish(5))).toEqual({ granted: 2, countedAt: 1_000 })
        yield* release(other, 2)
        expect(yield* reserve({ ...wish(1), accountId: other })).toEqual({ granted: 0, countedAt: null })
        // For another bound, the queue must be counted again.
        expect(yield* reserve(wish(1, 20))).toEqual({ granted: 0, countedAt: null })
        yield* setCount({ accountId, most: 20, waiting: 25, at: 2_000 })
        expect(yield* reserve(wish(1, 20))).toEqual({ granted: 0, countedAt: 2_000 })
      })
    )

    it.effect("keeps a queue locked while it is counted, the first time too", () =>
      Effect.gen(function* () {
        const { lock, recount, reserve } = yield* SendQuota
        const { run } = yield* Transaction
        const [accountId, counted] = (yield* freshAccountIds(2)) as [string, string]
        yield* setCount({ accountId: counted, most: 50, waiting: 50, at: 1_000 })
        for (const id of [accountId, counted]) {
          // The number of stored emails, as seen by the transaction that holds the lock.
          let stored = 0
          const call = (at: number) =>
            run(
              Effect.gen(function* () {
                const request = { accountId: id, wanted: 7, most: 50 }
                const before = yield* reserve(request)
                const known = yield* lock(id, 50)
                if (known === before.countedAt && known !== 2_000) {
                  yield* recount({ accountId: id, most: 50, waiting: stored + before.granted, at: 2_000 })
                }
                const left = yield* reserve({ ...request, wanted: 7 - before.granted })
                stored += before.granted + left.granted
                return at
              })
            )
          expect(successes(yield* atOnce(times(10, call)))).toHaveLength(10)
          expect(stored).toBe(50)
          expect(yield* lock(id, 50)).toBe(2_000)
          expect(yield* lock(id, 60)).toBeNull()
        }
      })
    )

    it.effect("never reserves beyond the bound of a queue, also concurrently, nor what is rolled back", () =>
      Effect.gen(function* () {
        const { reserve } = yield* SendQuota
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const request = { accountId, wanted: 7, most: 50 }
        yield* setCount({ accountId, most: 50, waiting: 0, at: 1_000 })
        yield* Effect.exit(run(Effect.andThen(reserve(request), Effect.fail("rejected" as const))))
        const granted = successes(yield* atOnce(times(10, () => reserve(request))))
        expect(granted.reduce((sum, one) => sum + one.granted, 0)).toBe(50)
      })
    )

    it.effect("holds the first emails of each source, by account", () =>
      Effect.gen(function* () {
        const { held, hold } = yield* SendQuota
        const [accountId, other] = (yield* freshAccountIds(2)) as [string, string]
        const [a, b, c] = [newId(), newId(), newId()]
        const wish = (sourceId: string, wanted: number) => ({ sourceId, wanted })
        expect(yield* held(accountId, [a, b])).toEqual([0, 0])
        expect(yield* hold(accountId, 5, [wish(b, 9), wish(a, 3)])).toEqual([5, 3])
        expect(yield* held(accountId, [a, c, b])).toEqual([3, 0, 5])
        expect(yield* hold(accountId, 5, [wish(a, 3), wish(b, 1), wish(c, 0)])).toEqual([2, 0, 0])
        expect(yield* hold(other, 5, [wish(a, 1)])).toEqual([1])
        // A lower number holds nothing further; a higher one holds the rest.
        expect(yield* hold(accountId, 2, [wish(a, 1), wish(c, 9)])).toEqual([0, 2])
        expect(yield* hold(accountId, 7, [wish(a, 9)])).toEqual([2])
        expect(yield* held(accountId, [a, b, c])).toEqual([7, 5, 2])
        expect([yield* held(accountId, []), yield* hold(accountId, 5, [])]).toEqual([[], []])
      })
    )

    it.effect("never holds more of a source, also concurrently, nor what is rolled back", () =>
      Effect.gen(function* () {
        const { held, hold } = yield* SendQuota
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const wishes = [newId(), newId()].map((sourceId) => ({ sourceId, wanted: 7 }))
        yield* Effect.exit(run(Effect.andThen(hold(accountId, 50, wishes), Effect.fail("rejected" as const))))
        const exits = yield* atOnce(
          times(10, (index) => run(hold(accountId, 50, index % 2 === 0 ? wishes : wishes.toReversed())))
        )
        expect(
          successes(exits)
            .flatMap((counts) => counts)
            .reduce((sum, one) => sum + one, 0)
        ).toBe(100)
        expect(
          yield* held(
            accountId,
            wishes.map(({ sourceId }) => sourceId)
          )
        ).toEqual([50, 50])
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
