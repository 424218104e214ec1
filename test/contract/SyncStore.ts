/**
 * The contract of `core/ports/SyncStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type FailedEvent, maxFailedEvents } from "../../core/model/ReceivedEvent.ts"
import {
  type FailedRange,
  type ReceivedFilter,
  type SyncedRecord,
  SyncStore
} from "../../core/ports/SyncStore.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
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

/** Stored events with those ids. */
export const namedEvents = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id, name: "order.placed" }))

const failure = (eventId: string, values: Partial<FailedEvent> = {}): FailedEvent => ({
  eventId,
  name: "order.placed",
  receivedAt: now,
  given: "{}",
  code: "validation.required",
  field: "total",
  people: [],
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
        yield* sync.remember(accountId, store, namedEvents("a", oddText), now)
        expect((yield* sync.seen(accountId, store, ["b", oddText, "a", "a"])).toSorted()).toEqual(
          ["a", oddText].toSorted()
        )
        expect(yield* sync.seen(accountId, other, ["a"])).toEqual([])
        expect(yield* sync.seen(yield* freshAccountId, store, ["a"])).toEqual([])
        const conflict = yield* expectFailure(
          sync.remember(accountId, store, namedEvents("c", "a"), now),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("store_events_id")
        expect(yield* sync.seen(accountId, store, ["c"])).toEqual([])
        const exits = yield* atOnce(
          times(6, () => sync.remember(accountId, other, namedEvents("x", "y"), now))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
      })
    )

    it.effect("lists the events of a store, also those that were not accepted until they are", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        const page = { page: 1, pageSize: 50 }
        yield* sync.remember(accountId, store, namedEvents("a", "c"), now)
        yield* sync.fail(
          accountId,
          store,
          [failure("b"), failure(oddText, { receivedAt: now + 1 })],
          "Failed"
        )
        yield* sync.fail(
          accountId,
          store,
          [failure("a"), failure("b", { field: null, given: null })],
          "Failed"
        )
        yield* sync.fail(accountId, store, [], "Any")
        yield* sync.remember(accountId, other, namedEvents("b"), now + 2)
        const { items, totalCount } = yield* sync.events(accountId, store, {}, page)
        const accepted = { name: "order.placed", status: "Accepted", code: null, field: null, isKept: false }
        const failed = { name: "order.placed", status: "Failed", code: "validation.required" }
        expect(items).toEqual([
          { ...failed, eventId: oddText, receivedAt: now + 1, field: "total", isKept: true },
          { ...accepted, eventId: "c", receivedAt: now },
          { ...failed, eventId: "b", receivedAt: now, field: null, isKept: false },
          { ...accepted, eventId: "a", receivedAt: now }
        ])
        expect(totalCount).toBe(4)
        const ids = (filter: ReceivedFilter, request: PageRequest = page) =>
          Effect.map(sync.events(accountId, store, filter, request), (found) =>
            found.items.map(({ eventId }) => eventId)
          )
        expect(yield* ids({ status: ["Failed"] })).toEqual([oddText, "b"])
        expect(yield* ids({ status: ["Accepted", "Failed"], until: now + 1 })).toEqual(["c", "b", "a"])
        expect(yield* ids({ since: now + 1 })).toEqual([oddText])
        expect(yield* ids({}, { page: 1, pageSize: 2, after: [now, "c"] })).toEqual(["b", "a"])
        expect(yield* sync.seen(accountId, store, ["a", "b", "c"])).toHaveLength(2)
        expect(yield* sync.activity(accountId, [store, newId()])).toEqual(
          expect.arrayContaining([
            { storeId: store, lastEventAt: now, failedEvents: 2 },
            { storeId: expect.any(String) as string, lastEventAt: null, failedEvents: 0 }
          ])
        )
        const range = { ids: null, until: now + 1 }
        const keptIds = (given: FailedRange, after: readonly [number, string] | null, limit = 10) =>
          Effect.map(sync.failed(accountId, store, given, after, limit), (found) =>
            found.map(({ eventId }) => eventId)
          )
        expect(yield* sync.failed(accountId, store, range, null, 1)).toEqual([
          { eventId: "b", name: "order.placed", receivedAt: now, given: null }
        ])
        expect(yield* keptIds(range, [now, "b"])).toEqual([oddText])
        expect(yield* keptIds({ ids: ["a", "b"], until: now + 1 }, null)).toEqual(["b"])
        expect(yield* keptIds({ ids: null, until: now }, null)).toEqual(["b"])
        yield* sync.remember(accountId, store, namedEvents("b", oddText), now + 5)
        expect(yield* ids({ status: ["Failed"] })).toEqual([])
        expect((yield* sync.events(accountId, store, { since: now + 5 }, page)).items).toEqual([
          { ...accepted, eventId: "b", receivedAt: now + 5 },
          { ...accepted, eventId: oddText, receivedAt: now + 5 }
        ])
        yield* sync.fail(accountId, store, [failure("c")], "Any")
        expect(yield* sync.seen(accountId, store, ["c"])).toEqual([])
      })
    )

    it.effect("keeps the newest failed events of a store, and none with data of erased people", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const accountId = yield* freshAccountId
        const [store, other] = [newId(), newId()]
        const many = times(maxFailedEvents + 2, (index) => failure(`e${index}`, { receivedAt: now + index }))
        yield* sync.fail(accountId, store, many, "Failed")
        const kept = (of: string) =>
          sync.failed(accountId, of, { ids: null, until: now + 9_999 }, null, 2_000)
        const found = yield* kept(store)
        expect(found).toHaveLength(maxFailedEvents)
        expect(found[0]!.eventId).toBe("e2")
        const person = customer("7")
        yield* sync.put(accountId, other, [person])
        yield* sync.fail(
          accountId,
          other,
          [
            failure("by address", { people: ["ada@example.org", "#1"] }),
            failure("by id", { people: ["#7"] }),
            failure("of another", { people: ["bob@example.org", "#8"] })
          ],
          "Failed"
        )
        yield* sync.fail(
          accountId,
          store,
          [failure("elsewhere", { receivedAt: now + 5_000, people: ["#7"] })],
          "Failed"
        )
        yield* sync.erase(accountId, [person.contactId!], ["ada@example.org"])
        expect((yield* kept(other)).map(({ eventId }) => eventId)).toEqual(["of another"])
        expect((yield* kept(store)).at(-1)!.eventId).toBe("elsewhere")
      })
    )

    it.effect("prunes the oldest events, up to a limit", () =>
      Effect.gen(function* () {
        const sync = yield* SyncStore
        const [accountId, store] = [yield* freshAccountId, newId()]
        const before = now - 400 * 86_400_000
        while ((yield* sync.prune(before, 1000)) > 0);
        yield* sync.remember(accountId, store, namedEvents("second", "third"), before - 1)
        yield* sync.remember(yield* freshAccountId, store, namedEvents("first"), before - 2)
        yield* sync.remember(accountId, store, namedEvents("young"), before)
        const seen = sync.seen(accountId, store, ["second", "third", "young"])
        expect(yield* sync.prune(before, 1)).toBe(1)
        expect(yield* seen).toHaveLength(3)
        expect(yield* sync.prune(before, 10)).toBe(2)
        expect(yield* sync.prune(before, 10)).toBe(0)
        expect(yield* seen).toEqual(["young"])
        yield* sync.remember(accountId, store, namedEvents("second"), now)
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
        yield* sync.erase(yield* freshAccountId, people, [])
        yield* sync.erase(accountId, [], [])
        expect(yield* find("Customer")).toHaveLength(3)
        yield* sync.erase(accountId, people, [])
        expect(yield* find("Customer")).toEqual([second])
        expect(yield* find("Product")).toEqual([product])
      })
    )
  })
}
