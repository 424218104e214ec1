/**
 * The contract of `core/ports/StandingStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  type Bucket,
  type BucketChange,
  bucketCounts,
  goodStanding,
  noBucketCounts,
  type Standing
} from "../../core/model/Standing.ts"
import { StandingStore } from "../../core/ports/StandingStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  freshAccountId,
  freshAccountIds,
  now,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const hour = 3_600_000
const day = 24 * hour

const change = (accountId: string, values: Partial<BucketChange> = {}): BucketChange => ({
  accountId,
  stream: "Marketing",
  domain: "mail.example",
  provider: "other",
  source: null,
  at: now,
  ...noBucketCounts,
  ...values
})

const held = (accountId: string): Standing => ({
  accountId,
  state: "Held",
  reasons: [
    { rate: "bounces", state: "Held", provider: null, days: 7, value: 0.0625, threshold: 0.05 },
    { rate: "policy", state: "Notice", provider: "google", days: 7, value: 0.02, threshold: 0.01 }
  ],
  heldAt: now,
  heldUntil: now + 7 * day,
  liftedAt: null
})

/** Arbitrary changes of an account within some days, including negative ones that correct earlier counts. */
const anyChanges = (accountId: string) =>
  fc.array(
    fc.record({
      accountId: fc.constant(accountId),
      stream: fc.constantFrom("Marketing" as const, "Transactional" as const),
      domain: fc.constantFrom("a.example", "b.example"),
      provider: fc.constantFrom("google", "other"),
      source: fc.constantFrom(null, "192.0.2.1", "2001:db8::1"),
      at: fc.integer({ min: now - 3 * day, max: now }),
      ...(Object.fromEntries(bucketCounts.map((name) => [name, fc.integer({ min: -1, max: 3 })])) as Record<
        (typeof bucketCounts)[number],
        fc.Arbitrary<number>
      >)
    }),
    { minLength: 1, maxLength: 40 }
  )

/** A recount of the changes in buckets of a length, sorted. */
const recount = (changes: ReadonlyArray<BucketChange>, length: number): ReadonlyArray<string> => {
  const sums = new Map<string, Bucket>()
  for (const { at, ...one } of changes) {
    const start = Math.floor(at / length) * length
    const key = JSON.stringify([one.stream, one.domain, one.provider, one.source, start])
    const before = sums.get(key)
    const counts = bucketCounts.map((name) => [name, (before?.[name] ?? 0) + one[name]])
    sums.set(key, { ...one, start, ...Object.fromEntries(counts) })
  }
  return textsOf([...sums.values()])
}

const textsOf = (buckets: ReadonlyArray<Bucket>): ReadonlyArray<string> =>
  buckets
    .map((bucket) =>
      JSON.stringify(Object.entries(bucket).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    )
    .toSorted()

/** Tests of the port `StandingStore`. */
export const standingStoreContract = (it: StorageTest): void => {
  describe("StandingStore", () => {
    it.effect("has buckets that equal a recount, by hours and by days", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        for (const seed of [1, 2, 3]) {
          const accountId = yield* freshAccountId
          const batches = fc.sample(anyChanges(accountId), { seed, numRuns: 5 })
          for (const batch of batches) yield* store.add(batch)
          const all = batches.flat()
          expect(textsOf(yield* store.buckets([accountId], "Hour", 0))).toEqual(recount(all, hour))
          expect(textsOf(yield* store.buckets([accountId], "Day", 0))).toEqual(recount(all, day))
          const since = Math.floor((now - day) / day) * day
          expect(textsOf(yield* store.buckets([accountId], "Day", since))).toEqual(
            recount(
              all.filter(({ at }) => at >= since),
              day
            )
          )
        }
        expect(yield* store.buckets([], "Day", 0)).toEqual([])
        yield* store.add([])
      })
    )

    it.effect("adds what is counted at the same time, and nothing of what is rolled back", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const { run } = yield* Transaction
        const accountIds = yield* freshAccountIds(2)
        const changes = accountIds.flatMap((accountId) => [
          change(accountId, { handed: 2, provider: "google" }),
          change(accountId, { handed: 1 })
        ])
        const exits = yield* atOnce(
          times(10, (index) => run(store.add(index % 2 === 0 ? changes : changes.toReversed())))
        )
        expect(successes(exits)).toHaveLength(10)
        yield* Effect.exit(run(Effect.andThen(store.add(changes), Effect.fail("rejected" as const))))
        const found = yield* store.buckets(accountIds, "Day", 0)
        expect(found.map(({ handed, provider }) => `${provider} ${handed}`).toSorted()).toEqual([
          "google 20",
          "google 20",
          "other 10",
          "other 10"
        ])
      })
    )

    it.effect("keeps the standing of accounts, and counts those that are not good", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const [one, other, third] = (yield* freshAccountIds(3)) as [string, string, string]
        const before = yield* store.count
        expect(yield* store.find([one, other])).toEqual([])
        yield* store.save(held(one))
        yield* store.save({ ...goodStanding(other), state: "Notice" })
        expect(yield* store.find([one, third])).toEqual([held(one)])
        expect(yield* store.count).toEqual({ Notice: before.Notice + 1, Held: before.Held + 1 })
        const lifted = { ...goodStanding(one), liftedAt: now + 5 }
        yield* store.save(lifted)
        expect(yield* store.find([one])).toEqual([lifted])
        expect((yield* store.count).Held).toBe(before.Held)
        yield* store.add([change(third, { handed: 1 })])
        const active = yield* store.active(now - hour)
        expect([one, other, third].map((id) => active.includes(id))).toEqual([false, true, true])
        expect((yield* store.active(now + hour)).includes(third)).toBe(false)
      })
    )

    it.effect("keeps one observation of a provider, domain and day, the newest day first", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const [accountId, other] = (yield* freshAccountIds(2)) as [string, string]
        const observation = (on: string, spamRate: number, provider = "google") => ({
          accountId,
          provider,
          domain: "mail.example",
          day: on,
          spamRate
        })
        yield* store.observe([observation("2031-05-01", 0.001), observation("2031-05-02", 0.25)])
        yield* store.observe([observation("2031-05-01", 0.002)])
        yield* store.observe([{ ...observation("2031-05-01", 1), accountId: other }])
        expect(yield* store.observations([accountId], "2031-05-01")).toEqual([
          observation("2031-05-02", 0.25),
          observation("2031-05-01", 0.002)
        ])
        expect(yield* store.observations([accountId], "2031-05-02")).toEqual([
          observation("2031-05-02", 0.25)
        ])
      })
    )

    it.effect("grants marketing up to the limit of a day, also concurrently", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const wish = (on: number, wanted: number, limit = 50) => ({ accountId, day: on, wanted, limit })
        expect(yield* store.take(wish(0, 1))).toBe(0)
        yield* store.save({ ...goodStanding(accountId), liftedAt: now })
        const granted = successes(yield* atOnce(times(10, () => run(store.take(wish(0, 7))))))
        expect(granted.reduce((sum, one) => sum + one, 0)).toBe(50)
        expect(yield* store.take(wish(0, 1))).toBe(0)
        expect(yield* store.take(wish(1, 60, 100))).toBe(60)
        yield* store.save({ ...goodStanding(accountId), liftedAt: now })
        expect(yield* store.take(wish(1, 60, 100))).toBe(40)
        // A clock that is behind still sees the previous day; what it sends counts for the current one.
        expect(yield* store.take(wish(0, 1))).toBe(0)
        expect(yield* store.take(wish(1, 1, 100))).toBe(0)
        expect(yield* store.take(wish(2, 5, 10))).toBe(5)
        expect(yield* store.take(wish(1, 9, 10))).toBe(5)
        expect(yield* store.take(wish(2, 5, 10))).toBe(0)
        // After another hold, the days start again.
        yield* store.save({ ...goodStanding(accountId), liftedAt: now + 1 })
        expect(yield* store.take(wish(0, 60))).toBe(50)
      })
    )

    it.effect("names the providers that reported complaints since a day", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const [accountId, other] = (yield* freshAccountIds(2)) as [string, string]
        const at = Date.UTC(2101, 0, 1)
        yield* store.add([
          change(accountId, { provider: "yahoo", complained: 1, at }),
          change(other, { provider: "orange", complained: 2, at: at + day }),
          change(other, { provider: "google", delivered: 5, at: at + day })
        ])
        expect((yield* store.reporters(at)).toSorted()).toEqual(["orange", "yahoo"])
        expect(yield* store.reporters(at + day)).toEqual(["orange"])
      })
    )

    it.effect("prunes old hours and days, some at a time", () =>
      Effect.gen(function* () {
        const store = yield* StandingStore
        const accountId = yield* freshAccountId
        // Earlier than the counts of all other tests.
        const old = Date.UTC(2001, 0, 1)
        yield* store.add(
          [0, 1, 2, 30].map((hours) => change(accountId, { at: old + hours * hour, handed: 1 }))
        )
        expect(yield* store.prune(old + 3 * hour, 0, 2)).toBe(2)
        expect(yield* store.prune(old + 3 * hour, 0, 2)).toBe(1)
        expect(yield* store.prune(old + 3 * hour, old + day, 10)).toBe(1)
        const left = [
          ...(yield* store.buckets([accountId], "Hour", 0)),
          ...(yield* store.buckets([accountId], "Day", 0))
        ]
        expect(left.map(({ start }) => start).toSorted()).toEqual([old + day, old + 30 * hour])
        yield* store.prune(old + 2 * day, old + 2 * day, 10)
      })
    )
  })
}
