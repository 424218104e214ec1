/**
 * The contract of `core/ports/SavedViewStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { SavedView } from "../../core/model/SavedView.ts"
import { SavedViewStore } from "../../core/ports/SavedViewStore.ts"
import {
  firstPage,
  freshAccountId,
  listsNewestFirst,
  newId,
  now,
  oddText,
  type StorageTest
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<SavedView> = {}): SavedView => ({
  id: newId(),
  accountId,
  owner: "user:a",
  name: "View",
  list: "contacts",
  query: { filters: {}, q: null, sort: null },
  columns: null,
  shared: false,
  createdBy: { kind: "User", id: "a", name: "Ada" },
  createdAt: now,
  ...values
})

/** Tests of the port `SavedViewStore`. */
export const savedViewStoreContract = (it: StorageTest): void => {
  describe("SavedViewStore", () => {
    listsNewestFirst(it, "views", SavedViewStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draft(accountId, { createdAt }),
      timeOf: (view) => view.createdAt,
      insert,
      list: (accountId, page) => list(accountId, "user:a", null, page)
    }))

    it.effect("returns an owner's views and the shared ones, as they were added and saved", () =>
      Effect.gen(function* () {
        const store = yield* SavedViewStore
        const accountId = yield* freshAccountId
        const own = draft(accountId, {
          name: oddText,
          query: { filters: { tag: [oddText], suppressed: true }, q: oddText, sort: "-added" },
          columns: [oddText, "email"]
        })
        const others = draft(accountId, { owner: "user:b", list: "emails", createdAt: now + 1 })
        const shared = draft(accountId, { owner: "user:b", shared: true, createdAt: now + 2 })
        for (const view of [own, others, shared]) yield* store.insert(view)
        yield* store.insert(draft(yield* freshAccountId, { shared: true }))
        expect(yield* store.get(accountId, own.id)).toEqual(own)
        expect(yield* store.get(yield* freshAccountId, own.id)).toBeNull()
        const seen = (owner: string, lists: Parameters<typeof store.list>[2] = null) =>
          Effect.map(store.list(accountId, owner, lists, firstPage), ({ items }) => items.map(({ id }) => id))
        expect(yield* seen("user:a")).toEqual([shared.id, own.id])
        expect(yield* seen("user:b")).toEqual([shared.id, others.id])
        expect(yield* seen("user:b", ["emails", "events"])).toEqual([others.id])
        expect(yield* store.count(accountId, "user:b", "contacts")).toBe(1)
        expect(yield* store.count(accountId, "user:c", "contacts")).toBe(0)
        const changed: SavedView = {
          ...own,
          name: "New",
          query: { filters: {}, q: null, sort: null },
          columns: null,
          shared: true
        }
        yield* store.save(changed)
        expect(yield* store.get(accountId, own.id)).toEqual(changed)
        yield* store.remove(accountId, own.id)
        yield* store.remove(accountId, newId())
        expect(yield* store.get(accountId, own.id)).toBeNull()
        expect(yield* seen("user:a")).toEqual([shared.id])
      })
    )
  })
}
