/**
 * The contract of `core/ports/SyncStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const customer = (externalId: string, values: Partial<SyncedRecord> = {}): SyncedRecord => ({
  kind: "Customer",
  externalId,
  contactId: newId(),
  sourceUpdatedAt: now,
  ...values
})

/** Tests of the port `SyncStore`. */
export const syncStoreContract = (it: StorageTest): void => {
  describe("SyncStore", () => {
    it.effect("stores each event of a store once, also concurrently", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        yield* sync.remember(accountId, store, ["a", oddText], now)
        expect((yield* sync.seen(accountId, store, ["b", oddText, "a", "a"])).toSorted()).toEqual(
          ["a", oddText].toSorted()
        )
        expect(yield* sync.seen(accountId, other, ["a"])).toEqual([])
        expect(yield* sync.seen(yield* freshAccountId, store, ["a"])).toEqual([])
        const conflict = yield* expectFailure(
          sync.remember(accountId, store, ["c", "a"], now),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("store_events_id")
        expect(yield* sync.seen(accountId, store, ["c"])).toEqual([])
        const exits = yield* atOnce(times(6, () => sync.remember(accountId, other, ["x", "y"], now)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
      })
    )

    it.effect("prunes the oldest events, up to a limit", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const [accountId, store] = [yield* freshAccountId, newId()]
        const before = now - 400 * 86_400_000
        while ((yield* sync.prune(before, 1000)) > 0);
        yield* sync.remember(accountId, store, ["second", "third"], before - 1)
        yield* sync.remember(yield* freshAccountId, store, ["first"], before - 2)
        yield* sync.remember(accountId, store, ["young"], before)
        const seen = sync.seen(accountId, store, ["second", "third", "young"])
        expect(yield* sync.prune(before, 1)).toBe(1)
        expect(yield* seen).toHaveLength(3)
        expect(yield* sync.prune(before, 10)).toBe(2)
        expect(yield* sync.prune(before, 10)).toBe(0)
        expect(yield* seen).toEqual(["young"])
        yield* sync.remember(accountId, store, ["second"], now)
        expect((yield* seen).toSorted()).toEqual(["second", "young"])
      })
    )

    it.effect("keeps one record for each kind and id of a store, and erases those of contacts", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const accountId = yield* freshAccountId
        const store = newId()
        const [first, second] = [customer("1"), customer(oddText)]
        const product: SyncedRecord = { ...customer("1", { contactId: null }), kind: "Product" }
        yield* sync.put(accountId, store, [first, second, product])
        const find = (kind: SyncedRecord["kind"], of = store) =>
          sync.find(accountId, of, kind, ["1", "1", oddText, "none"])
        const sorted = (records: ReadonlyArray<SyncedRecord>) =>
          records.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))
        expect(sorted(yield* find("Customer"))).toEqual(sorted([first, second]))
        expect(yield* find("Product")).toEqual([product])
        expect(yield* find("Customer", newId())).toEqual([])
        const moved = customer("1", { sourceUpdatedAt: now + 5 })
        yield* sync.put(accountId, store, [customer("1"), moved])
        expect(sorted(yield* find("Customer"))).toEqual(sorted([moved, second]))
        const stale = sync.put(accountId, store, [
          customer("new"),
          customer("1", { sourceUpdatedAt: now + 4 })
        ])
        expect((yield* expectFailure(stale, "WriteConflict")).constraint).toBe("store_records_newer")
        expect(yield* sync.find(accountId, store, "Customer", ["new", "1"])).toEqual([moved])
        yield* sync.put(accountId, store, [moved])
        const third = customer("none")
        yield* sync.put(accountId, store, [third])
        const people = [moved.contactId!, newId(), third.contactId!]
        yield* sync.erase(yield* freshAccountId, people)
        yield* sync.erase(accountId, [])
        expect(yield* find("Customer")).toHaveLength(3)
        yield* sync.erase(accountId, people)
        expect(yield* find("Customer")).toEqual([second])
        expect(yield* find("Product")).toEqual([product])
      })
    )
  })
}
