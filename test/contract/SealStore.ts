/**
 * The contract of `core/ports/SealStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type AuditSeal, SealStore } from "../../core/ports/SealStore.ts"
import { newId, type StorageTest } from "./fixtures.ts"

/** Tests of the port `SealStore`. */
export const sealStoreContract = (it: StorageTest): void => {
  describe("SealStore", () => {
    it.effect("keeps one seal of each day, and marks those whose entries are deleted", () =>
      Effect.gen(function* () {
        const store = yield* SealStore
        const companyId = newId()
        const seals = ["2031-12-30", "2031-12-31", "2032-01-01"].map((day, index): AuditSeal => ({
          companyId,
          day,
          entries: index,
          previous: index === 0 ? "" : `hash ${index - 1}`,
          hash: `hash ${index}`,
          pruned: null
        }))
        expect(yield* store.last(companyId)).toBeNull()
        for (const seal of seals.toReversed()) yield* store.insert(seal)
        yield* store.insert({ ...seals[1]!, hash: "another" })
        yield* store.insert({ ...seals[2]!, companyId: newId(), day: "2033-01-01" })
        expect(yield* store.last(companyId)).toEqual(seals[2])
        expect(yield* store.list(companyId, null, 2)).toEqual(seals.slice(0, 2))
        expect(yield* store.list(companyId, "2031-12-31", 2)).toEqual(seals.slice(2))
        expect(yield* store.kept(companyId, "2032-01-01", 10)).toEqual(seals.slice(0, 2))
        expect(yield* store.kept(companyId, "2032-01-01", 1)).toEqual(seals.slice(0, 1))
        const marked = { ...seals[0]!, pruned: "mark" }
        yield* store.mark([marked])
        expect(yield* store.kept(companyId, "2032-01-01", 10)).toEqual([seals[1]])
        expect(yield* store.list(companyId, null, 1)).toEqual([marked])
      })
    )
  })
}
