/**
 * The contract of `core/ports/LiveEntries`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { NewLiveEntry } from "../../core/model/LiveEntry.ts"
import { LiveEntries, type LiveLease } from "../../core/ports/LiveEntries.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { atOnce, freshAccountId, minute, newId, now, oddText, type StorageTest, times } from "./fixtures.ts"

const leaseAt = (time: number): LiveLease => ({
  now: time,
  streamUntil: time + minute,
  accountUntil: time + 6 * minute
})

const draft = (values: Partial<NewLiveEntry> = {}): NewLiveEntry => ({
  topic: "emails",
  change: "Created",
  itemId: newId(),
  body: null,
  onceKey: null,
  ...values
})

const kept = 1_000

/** Opens a stream for a new account. */
const listened = Effect.fnUntraced(function* (time = now) {
  const store = yield* LiveEntries
  const { run } = yield* Transaction
  const accountId = yield* freshAccountId
  expect(yield* run(store.open({ accountId, id: newId() }, leaseAt(time), 20))).toBe(true)
  return { store, accountId, run }
})

/** Tests of the port `LiveEntries`. */
export const liveEntriesContract = (it: StorageTest): void => {
  describe("LiveEntries", () => {
    it.effect("numbers an account's entries without gaps, and reads them in order", () =>
      Effect.gen(function* () {
        const { accountId, store } = yield* listened()
        const { last } = yield* store.read(accountId, 0, 0, 9)
        const drafts = [
          draft({ topic: "notifications", body: oddText, onceKey: oddText }),
          draft({ change: "Updated" }),
          draft()
        ]
        yield* store.append(accountId, drafts.slice(0, 1), now, kept)
        yield* store.append(accountId, [], now, kept)
        yield* store.append(accountId, drafts.slice(1), now + 1, kept)
        const entries = drafts.map(({ onceKey: _onceKey, ...entry }, index) => ({
          ...entry,
          number: last + 1 + index
        }))
        const read = (after: number, since: number, limit: number) =>
          store.read(accountId, after, since, limit)
        expect(yield* read(last, now, 9)).toEqual({ entries, last: last + 3, floor: last })
        expect((yield* read(last, now, 2)).entries).toEqual(entries.slice(0, 2))
        expect((yield* read(last + 1, now, 9)).entries).toEqual(entries.slice(1))
        expect((yield* read(last, now + 1, 9)).entries).toEqual(entries.slice(1))
        expect(yield* read(Number.MAX_SAFE_INTEGER, 0, 9)).toEqual({
          entries: [],
          last: last + 3,
          floor: last
        })
        expect((yield* store.read(yield* freshAccountId, 0, 0, 9)).entries).toEqual([])
      })
    )

    it.effect("numbers the entries of concurrent writers without gaps", () =>
      Effect.gen(function* () {
        const { accountId, store } = yield* listened()
        const { last } = yield* store.read(accountId, 0, 0, 9)
        yield* atOnce(
          times(8, () =>
            store.append(
              accountId,
              times(5, () => draft()),
              now,
              kept
            )
          )
        )
        const { entries } = yield* store.read(accountId, last, 0, 100)
        expect(entries.map(({ number }) => number)).toEqual(times(40, (index) => last + 1 + index))
      })
    )

    it.effect("keeps the last entries alone", () =>
      Effect.gen(function* () {
        const { accountId, store } = yield* listened()
        const { last } = yield* store.read(accountId, 0, 0, 9)
        yield* store.append(
          accountId,
          times(3, () => draft()),
          now,
          4
        )
        yield* store.append(
          accountId,
          times(3, () => draft()),
          now,
          4
        )
        const read = yield* store.read(accountId, last, 0, 9)
        expect(read.entries.map(({ number }) => number - last)).toEqual([3, 4, 5, 6])
        yield* store.append(
          accountId,
          times(6, () => draft()),
          now,
          4
        )
        const { entries } = yield* store.read(accountId, last, 0, 9)
        expect(entries.map(({ number }) => number - last)).toEqual([9, 10, 11, 12])
      })
    )

    it.effect("adds what happens once a single time", () =>
      Effect.gen(function* () {
        const { accountId, store } = yield* listened()
        const other = yield* listened()
        const [first, same, third] = [
          draft({ onceKey: "one" }),
          draft({ onceKey: "one" }),
          draft({ onceKey: "two" })
        ]
        yield* store.append(accountId, [first, same], now, kept)
        yield* store.append(accountId, [same, third], now, kept)
        yield* store.append(accountId, [same], now, kept)
        yield* store.append(other.accountId, [same], now, kept)
        const itemsOf = (id: string) =>
          Effect.map(store.read(id, 0, 0, 9), ({ entries }) => entries.map(({ itemId }) => itemId))
        expect(yield* itemsOf(accountId)).toEqual([first.itemId, third.itemId])
        expect(yield* itemsOf(other.accountId)).toEqual([same.itemId])
      })
    )

    it.effect("stores nothing of an account that is not listened to, and begins anew after such a time", () =>
      Effect.gen(function* () {
        const { accountId, run, store } = yield* listened()
        const silent = yield* freshAccountId
        yield* store.append(silent, [draft()], now, kept)
        expect(yield* store.read(silent, 0, 0, 9)).toEqual({ entries: [], last: 0, floor: 0 })
        yield* store.append(accountId, [draft()], now, kept)
        const before = yield* store.read(accountId, 0, 0, 9)
        const late = now + 6 * minute
        yield* store.append(accountId, [draft()], late, kept)
        expect(yield* store.read(accountId, 0, 0, 9)).toEqual(before)
        const isListened = (time: number) =>
          Effect.map(
            store.listened(time),
            (all) => all.find((account) => account.accountId === accountId) ?? null
          )
        expect(yield* isListened(now)).toEqual({ accountId, since: now, until: now + 6 * minute })
        expect(yield* isListened(late)).toBeNull()
        const stream = { accountId, id: newId() }
        expect(yield* run(store.open(stream, leaseAt(late), 20))).toBe(true)
        const last = before.last + 1
        expect(yield* store.read(accountId, 0, 0, 9)).toEqual({ entries: [], last, floor: last })
        yield* store.renew(stream, leaseAt(late + minute))
        expect(yield* isListened(late)).toEqual({ accountId, since: late, until: late + 7 * minute })
        expect((yield* store.read(accountId, 0, 0, 9)).last).toBe(last)
      })
    )

    it.effect("limits the streams of an account, also those that are opened at once", () =>
      Effect.gen(function* () {
        const { run, store } = yield* listened()
        const accountId = yield* freshAccountId
        const streams = times(6, () => ({ accountId, id: newId() }))
        const opened = yield* Effect.all(
          streams.map((stream) => run(store.open(stream, leaseAt(now), 4))),
          { concurrency: "unbounded" }
        )
        expect(opened.filter((isOpen) => isOpen)).toHaveLength(4)
        const open = (time: number) => run(store.open({ accountId, id: newId() }, leaseAt(time), 4))
        const first = streams[opened.indexOf(true)]!
        yield* store.close(first)
        yield* store.close(first)
        expect(yield* open(now)).toBe(true)
        expect(yield* open(now)).toBe(false)
        // The stream counted as gone while its node could not reach the database.
        yield* store.renew(first, leaseAt(now + 30_000))
        expect(yield* open(now + minute)).toBe(true)
        expect(
          yield* run(store.open({ accountId: yield* freshAccountId, id: newId() }, leaseAt(now), 4))
        ).toBe(true)
      })
    )

    it.effect("removes an account's entries, so that none before is read", () =>
      Effect.gen(function* () {
        const { accountId, store } = yield* listened()
        const other = yield* listened()
        yield* store.append(accountId, [draft({ onceKey: "one" }), draft()], now, kept)
        yield* store.append(other.accountId, [draft()], now, kept)
        const { last } = yield* store.read(accountId, 0, 0, 9)
        yield* store.clear(accountId)
        yield* store.clear(yield* freshAccountId)
        expect(yield* store.read(accountId, 0, 0, 9)).toEqual({
          entries: [],
          last: last + 1,
          floor: last + 1
        })
        yield* store.append(accountId, [draft({ onceKey: "one" })], now, kept)
        const { entries } = yield* store.read(accountId, 0, 0, 9)
        expect(entries.map(({ number }) => number)).toEqual([last + 2])
        expect((yield* store.read(other.accountId, 0, 0, 9)).entries).toHaveLength(1)
      })
    )

    it.effect("wakes those who wait for an account once something was committed", () =>
      Effect.gen(function* () {
        const { accountId, run, store } = yield* listened()
        const wakeup = yield* store.wakeups(accountId)
        const listeners = yield* store.listeners
        yield* store.append(accountId, [draft()], now, kept)
        yield* wakeup
        yield* run(store.append(accountId, [draft()], now, kept))
        yield* wakeup
        yield* store.clear(accountId)
        yield* wakeup
        const added = { accountId: yield* freshAccountId, id: newId() }
        yield* run(store.open(added, leaseAt(now), 20))
        yield* listeners
      }).pipe(Effect.scoped)
    )

    it.effect("deletes entries of before a time, and streams that have ended", () =>
      Effect.gen(function* () {
        // Long ago, so that no entries of other tests are included.
        const longAgo = Date.UTC(1990, 0, 1)
        const { accountId, store } = yield* listened(longAgo)
        const { last } = yield* store.read(accountId, 0, 0, 9)
        yield* store.append(
          accountId,
          times(3, () => draft()),
          longAgo,
          kept
        )
        yield* store.append(accountId, [draft()], longAgo + 1, kept)
        expect(yield* store.prune(longAgo + 1, 2)).toBe(2)
        expect(yield* store.prune(longAgo + 1, 9)).toBe(1)
        expect(yield* store.prune(longAgo + 1, 9)).toBe(0)
        const { entries } = yield* store.read(accountId, last, 0, 9)
        expect(entries.map(({ number }) => number - last)).toEqual([4])
        yield* store.prune(longAgo + 2 * minute, 9)
      })
    )
  })
}
