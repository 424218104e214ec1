/**
 * The contract of `core/ports/SourceStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { MailSource, SourcePool } from "../../core/model/Source.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { newId, now, oddText, type StorageTest } from "./fixtures.ts"

let count = 0

const draft = (values: Partial<MailSource> = {}): MailSource => ({
  id: newId(),
  address: `2001:db8::${(++count).toString(16)}`,
  name: null,
  pool: "default",
  mode: "Active",
  isForced: false,
  reverse: null,
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

        const changed = { ...one, name: null, pool: oddText, mode: "Retired", isForced: false } as const
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
