/**
 * The contract of `core/ports/SourceStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { blankDay, type MailSource, type SourceDay, type SourcePool } from "../../core/model/Source.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { newId, now, oddText, type StorageTest } from "./fixtures.ts"

let count = 0

const byKey = (a: SourceDay, b: SourceDay): number =>
  [a.day, a.sourceId, a.bucket].join(" ") < [b.day, b.sourceId, b.bucket].join(" ") ? -1 : 1

const draft = (values: Partial<MailSource> = {}): MailSource => ({
  id: newId(),
  address: `2001:db8::${(++count).toString(16)}`,
  name: null,
  pool: "default",
  mode: "Active",
  isForced: false,
  reverse: null,
  warmUp: null,
  createdAt: now,
  ...values
})

/** Tests of the port `SourceStore`. */
export const sourceStoreContract = (it: StorageTest): void => {
  describe("SourceStore", () => {
    it.effect("keeps sources, the oldest first, and changes all but address, age and reverse name", () =>
      Effect.gen(function* () {
        const store = yield* SourceStore
        const reverse = { names: ["mx.example", oddText], isConfirmed: true, checkedAt: now }
        const one = draft({ createdAt: now + 1, name: "mx.example", reverse, isForced: true })
        const other = draft({ mode: "Paused", pool: "bulk" })
        yield* store.insert(one)
        yield* store.insert(other)
        const ours = Effect.map(store.all, ({ sources }) =>
          sources.filter(({ id }) => id === one.id || id === other.id)
        )
        expect(yield* ours).toEqual([other, one])

        const warmUp = { day: 12, on: "2031-03-06", startedAt: now, movedBackAt: now + 3 }
        const changed = {
          ...one,
          name: null,
          pool: oddText,
          mode: "Retired",
          isForced: false,
          warmUp
        } as const
        yield* store.save({ ...changed, address: "192.0.2.1", reverse: null, createdAt: now + 5 })
        expect(yield* ours).toEqual([other, changed])

        const later = { names: [], isConfirmed: false, checkedAt: now + 9 }
        yield* store.saveReverse(
          new Map([
            [one.id, later],
            [newId(), later]
          ])
        )
        yield* store.saveReverse(new Map())
        expect(yield* ours).toEqual([other, { ...changed, reverse: later }])

        yield* store.remove(other.id)
        yield* store.remove(newId())
        expect(yield* ours).toEqual([{ ...changed, reverse: later }])
        yield* store.remove(one.id)
      })
    )

    it.effect("keeps what sources sent by day, and deletes old days except to some buckets", () =>
      Effect.gen(function* () {
        const store = yield* SourceStore
        const { run } = yield* Transaction
        const [one, other] = [newId(), newId()].toSorted() as [string, string]
        const key = (sourceId: string, day: string, bucket: string) => ({ sourceId, day, bucket })
        const keys = [
          key(other, "1931-03-06", "google"),
          key(one, "1931-03-06", "ip:192.0.2.7"),
          key(one, "1931-03-06", "google"),
          key(one, "1931-03-05", "google")
        ]
        const sorted = [keys[3]!, keys[2]!, keys[1]!, keys[0]!]
        const rows = yield* run(
          Effect.gen(function* () {
            const locked = yield* store.lockDays(keys)
            const changed = locked.map((row, index): SourceDay => ({
              ...row,
              sent: index + 1,
              taken: 390_000,
              minute: 32_000_000
            }))
            yield* store.putDays(changed)
            expect(locked.toSorted(byKey)).toEqual(sorted.map(blankDay))
            return changed.toSorted(byKey)
          })
        )
        const ours = (day: string, ...buckets: ReadonlyArray<string>) =>
          Effect.map(store.daysSince(day, buckets), (found) =>
            found.filter(({ sourceId }) => sourceId === one || sourceId === other).toSorted(byKey)
          )
        expect(yield* ours("1931-03-05", "google", "ip:192.0.2.7")).toEqual(rows)
        expect(yield* ours("1931-03-06", "google")).toEqual([rows[1], rows[3]])
        expect((yield* run(store.lockDays(keys.slice(0, 2)))).toSorted(byKey)).toEqual([rows[2], rows[3]])
        expect(yield* store.lockDays([])).toEqual([])
        expect(yield* store.pruneDays("1931-03-07", ["google"], 10)).toBe(1)
        expect(yield* store.pruneDays("1931-03-06", [], 10)).toBe(1)
        expect(yield* ours("1931-01-01", "google", "ip:192.0.2.7")).toEqual([rows[1], rows[3]])
        expect(yield* store.pruneDays("1931-03-07", [], 1)).toBe(1)
        expect(yield* store.pruneDays("1931-03-07", [], 10)).toBe(1)
      })
    )

    it.effect("keeps pools by key, and replaces them", () =>
      Effect.gen(function* () {
        const store = yield* SourceStore
        const pool = (values: Partial<SourcePool>): SourcePool => ({
          key: newId(),
          name: oddText,
          overflow: null,
          ...values
        })
        const first = pool({ key: `a${newId()}` })
        const second = pool({ key: `b${newId()}`, overflow: "default" })
        yield* store.putPool(second)
        yield* store.putPool(first)
        const ours = Effect.map(store.all, ({ pools }) =>
          pools.filter(({ key }) => key === first.key || key === second.key)
        )
        expect(yield* ours).toEqual([first, second])
        const renamed = { ...first, name: "Bulk", overflow: second.key }
        yield* store.putPool(renamed)
        expect(yield* ours).toEqual([renamed, second])
        yield* store.removePool(second.key)
        yield* store.removePool(newId())
        expect(yield* ours).toEqual([renamed])
        yield* store.removePool(first.key)
      })
    )
  })
}
