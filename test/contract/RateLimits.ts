/**
 * The contract of `core/ports/RateLimits`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Hit, RateLimits } from "../../core/ports/RateLimits.ts"
import {
  atOnce,
  freshAccountId,
  minute,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

const windowStart = now - (now % minute)

/** Earlier than the windows of all other tests. */
const longAgo = Date.UTC(1990, 0, 1)

const hit = (accountId: string, values: Partial<Hit> = {}): Hit => ({
  accountId,
  subject: "flow:1",
  windowStart,
  amount: 1,
  ...values
})

/** Tests of the port `RateLimits`. */
export const rateLimitsContract = (it: StorageTest): void => {
  describe("RateLimits", () => {
    it.effect("adds to a window and returns its count", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        expect(yield* limits.count([hit(accountId)])).toEqual([1])
        expect(yield* limits.count([hit(accountId, { amount: 5 })])).toEqual([6])
        expect(yield* limits.count([])).toEqual([])
      })
    )

    it.effect("only reads with an amount of 0", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        expect(yield* limits.count([hit(accountId, { amount: 0 })])).toEqual([0])
        yield* limits.count([hit(accountId, { amount: 2 })])
        expect(yield* limits.count([hit(accountId, { amount: 0 })])).toEqual([2])
      })
    )

    it.effect("lists the windows of a subject from a time on, without those that count 0", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const at = (index: number, amount: number) =>
          hit(accountId, { windowStart: windowStart + index, amount })
        yield* limits.count([
          at(2, 1),
          at(0, 1),
          at(1, 3),
          at(3, 1),
          hit(other),
          hit(accountId, { subject: "b" })
        ])
        yield* limits.count([at(3, -1), at(1, -1)])
        expect(yield* limits.windows(accountId, "flow:1", windowStart + 1)).toEqual([
          { windowStart: windowStart + 1, count: 2 },
          { windowStart: windowStart + 2, count: 1 }
        ])
      })
    )

    it.effect("counts each account, subject and window separately, in the order given", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        const hits = [
          hit(accountId, { amount: 3 }),
          hit(yield* freshAccountId, { amount: 4 }),
          hit(accountId, { subject: oddText, amount: 5 }),
          hit(accountId, { windowStart: windowStart + minute, amount: 6 })
        ]
        expect(yield* limits.count(hits)).toEqual([3, 4, 5, 6])
        expect(yield* limits.count(hits.toReversed())).toEqual([12, 10, 8, 6])
      })
    )

    it.effect("adds every hit where several are of one window", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        const counts = yield* limits.count([hit(accountId), hit(accountId, { amount: 2 }), hit(accountId)])
        expect(counts.at(-1)).toBe(4)
        expect(yield* limits.count([hit(accountId, { amount: 0 })])).toEqual([4])
      })
    )

    it.effect("counts 1,000 windows at once", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        const hits = times(1000, (index) => hit(accountId, { subject: `flow:${index}`, amount: index + 1 }))
        expect(yield* limits.count(hits)).toEqual(times(1000, (index) => index + 1))
      })
    )

    it.effect("counts every one of many concurrent hits", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        const one = hit(accountId)
        const other = hit(accountId, { subject: "flow:2" })
        const exits = yield* atOnce(
          times(40, (index) => limits.count(index % 2 === 0 ? [one, other] : [other, one]))
        )
        const counts = successes(exits).map(([first, second], index) => (index % 2 === 0 ? first! : second!))
        expect(counts.toSorted((a, b) => a - b)).toEqual(times(40, (index) => index + 1))
      })
    )

    it.effect("prunes the windows that started before a time, up to a limit", () =>
      Effect.gen(function* () {
        const limits = yield* RateLimits
        const accountId = yield* freshAccountId
        while ((yield* limits.prune(longAgo, 1000)) > 0);
        const old = times(5, () => hit(accountId, { subject: unique("flow"), windowStart: longAgo - minute }))
        const young = hit(accountId, { windowStart: longAgo })
        yield* limits.count([...old, young])
        expect(yield* limits.prune(longAgo, 2)).toBe(2)
        expect(yield* limits.prune(longAgo, 0)).toBe(0)
        expect(yield* limits.prune(longAgo, 100)).toBe(3)
        expect(yield* limits.prune(longAgo, 100)).toBe(0)
        expect(yield* limits.count([...old, young].map((one) => ({ ...one, amount: 0 })))).toEqual([
          0, 0, 0, 0, 0, 1
        ])
      })
    )
  })
}
