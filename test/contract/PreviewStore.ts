/**
 * The contract of `core/ports/PreviewStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { maxPreviews, type Preview, PreviewStore } from "../../core/ports/PreviewStore.ts"
import { freshAccountId, newId, now, oddText, type StorageTest, times } from "./fixtures.ts"

const draft = (accountId: string, values: Partial<Preview> = {}): Preview => ({
  id: newId(),
  accountId,
  owner: "session",
  html: "<p>Hello</p>",
  expiresAt: now,
  ...values
})

/** Tests of the port `PreviewStore`. */
export const previewStoreContract = (it: StorageTest): void => {
  describe("PreviewStore", () => {
    it.effect("returns a preview to its owner in its account only", () =>
      Effect.gen(function* () {
        const store = yield* PreviewStore
        const accountId = yield* freshAccountId
        const preview = draft(accountId, { html: oddText })
        yield* store.insert(preview)
        expect(yield* store.find(accountId, preview.id, preview.owner)).toEqual(preview)
        expect(yield* store.find(accountId, preview.id, "other")).toBeNull()
        expect(yield* store.find(yield* freshAccountId, preview.id, preview.owner)).toBeNull()
        expect(yield* store.find(accountId, newId(), preview.owner)).toBeNull()
        const kept = draft(yield* freshAccountId)
        yield* store.insert(kept)
        yield* store.clear(accountId)
        expect(yield* store.find(accountId, preview.id, preview.owner)).toBeNull()
        expect(yield* store.find(kept.accountId, kept.id, kept.owner)).toEqual(kept)
      })
    )

    it.effect("keeps an owner's newest previews, and deletes those that expired", () =>
      Effect.gen(function* () {
        const store = yield* PreviewStore
        const accountId = yield* freshAccountId
        const longAgo = Date.UTC(1990, 0, 1)
        const other = draft(accountId, { owner: "other", expiresAt: longAgo })
        yield* store.insert(other)
        const previews = times(maxPreviews + 2, (index) =>
          draft(accountId, { owner: "one", expiresAt: longAgo + index })
        )
        for (const preview of previews) yield* store.insert(preview)
        const kept = Effect.map(
          Effect.forEach([other, ...previews], ({ id, owner }) => store.find(accountId, id, owner)),
          (found) => found.map((preview) => preview !== null)
        )
        expect(yield* kept).toEqual([true, false, false, ...times(maxPreviews, () => true)])
        expect(yield* store.prune(longAgo + 4, 2)).toBe(2)
        expect(yield* store.prune(longAgo + 4, 9)).toBe(1)
        expect((yield* kept).filter(Boolean)).toHaveLength(maxPreviews - 2)
        yield* store.prune(longAgo + 1_000, 1_000)
      })
    )
  })
}
