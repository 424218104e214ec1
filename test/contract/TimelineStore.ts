/**
 * The contract of `core/ports/TimelineStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { type TimelineEntry, TimelineStore } from "../../core/ports/TimelineStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  changed,
  changes,
  draftContact,
  endsWithin,
  firstPage,
  freshAccountId,
  minute,
  newId,
  now,
  oddText,
  pause,
  readPages,
  type StorageTest,
  times
} from "./fixtures.ts"

const draft = (contactId: string, values: Partial<TimelineEntry> = {}): TimelineEntry => ({
  id: newId(),
  contactId,
  name: "user.signed_up",
  occurredAt: now,
  properties: {},
  source: "Api",
  ...values
})

/** A stored contact. */
const freshContact = Effect.fnUntraced(function* (accountId: string) {
  const contact = draftContact()
  yield* (yield* ContactStore).write(accountId, changes({ inserts: [contact] }))
  return contact
})

const erased = { email: null, erasedAt: now, addressHash: "hash" }

/** Tests of the port `TimelineStore`. */
export const timelineStoreContract = (it: StorageTest): void => {
  describe("TimelineStore", () => {
    it.effect("returns entries as they were added", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const first = draft(contact.id, { name: "contact.subscribed", source: "Service" })
        const second = draft(contact.id, {
          occurredAt: now + 1,
          properties: { [oddText]: oddText, list: [1, null, { deep: true }], number: 1.5 }
        })
        expect(yield* store.append(accountId, [first, second])).toEqual([first.id, second.id])
        expect(yield* store.append(accountId, [])).toEqual([])
        expect((yield* store.list(accountId, contact.id, firstPage)).items).toEqual([second, first])
        expect((yield* store.list(yield* freshAccountId, contact.id, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("removes entries by their ids", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const entries = times(3, (index) => draft(contact.id, { occurredAt: now + index }))
        yield* store.append(accountId, entries)
        yield* store.remove(accountId, [entries[0]!.id, entries[2]!.id, newId()])
        yield* store.remove(accountId, [])
        yield* store.remove(yield* freshAccountId, [entries[1]!.id])
        expect((yield* store.list(accountId, contact.id, firstPage)).items).toEqual([entries[1]])
      })
    )

    it.effect("lists a contact's own entries, newest first, then by id", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const other = yield* freshContact(accountId)
        const entries = times(25, (index) => draft(contact.id, { occurredAt: now + (index % 5) * minute }))
        yield* store.append(accountId, [...entries, draft(other.id)])
        const expected = entries.toSorted((a, b) => b.occurredAt - a.occurredAt || (a.id < b.id ? 1 : -1))
        expect(yield* readPages((page) => store.list(accountId, contact.id, page), 7)).toEqual(expected)
      })
    )

    it.effect("does not change a stored entry", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const entry = draft(contact.id)
        yield* store.append(accountId, [entry])
        const next = draft(contact.id)
        expect(yield* store.append(accountId, [{ ...entry, name: "user.other" }, next])).toEqual([next.id])
        const { items, totalCount } = yield* store.list(accountId, contact.id, firstPage)
        expect(totalCount).toBe(2)
        expect(items).toContainEqual(entry)
      })
    )

    it.effect("leaves out entries of contacts that are unknown or erased", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const contacts = yield* ContactStore
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const gone = yield* freshContact(accountId)
        yield* contacts.write(accountId, changes({ updates: [changed(gone, erased)] }))
        const unknown = newId()
        const kept = draft(contact.id)
        expect(yield* store.append(accountId, [draft(gone.id), draft(unknown), kept])).toEqual([kept.id])
        for (const [id, count] of [
          [gone.id, 0],
          [unknown, 0],
          [contact.id, 1]
        ] as const) {
          expect((yield* store.list(accountId, id, firstPage)).totalCount).toBe(count)
        }
      })
    )

    it.effect("adds entries of contacts that the transaction wrote, beside those of others", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const contacts = yield* ContactStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const [before, other, gone] = [
          yield* freshContact(accountId),
          yield* freshContact(accountId),
          yield* freshContact(accountId)
        ]
        yield* contacts.write(accountId, changes({ updates: [changed(gone, erased)] }))
        const added = draftContact()
        const kept = [added.id, before.id, other.id, added.id].map((id) => draft(id))
        const appended = yield* run(
          Effect.gen(function* () {
            yield* contacts.write(
              accountId,
              changes({ inserts: [added], updates: [changed(before, { firstName: "Ada" })] })
            )
            return yield* store.append(
              accountId,
              [...kept, draft(gone.id), draft(newId())],
              new Set([added.id, before.id])
            )
          })
        )
        expect(appended.toSorted()).toEqual(kept.map(({ id }) => id).toSorted())
        const counts = yield* Effect.forEach([added, before, other, gone], ({ id }) =>
          Effect.map(store.list(accountId, id, firstPage), ({ totalCount }) => totalCount)
        )
        expect(counts).toEqual([2, 1, 1, 0])
      })
    )

    it.effect("erases the entries of contacts and no others", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const people = [yield* freshContact(accountId), yield* freshContact(accountId)].map(({ id }) => id)
        const other = yield* freshContact(accountId)
        yield* store.append(
          accountId,
          [...people, ...people, other.id].map((id) => draft(id))
        )
        const countsOf = Effect.forEach([...people, other.id], (id) =>
          Effect.map(store.list(accountId, id, firstPage), ({ totalCount }) => totalCount)
        )
        yield* store.erase(yield* freshAccountId, people)
        yield* store.erase(accountId, [])
        expect(yield* countsOf).toEqual([2, 2, 1])
        yield* store.erase(accountId, [...people, newId()])
        expect(yield* countsOf).toEqual([0, 0, 1])
      })
    )

    it.effect("makes an addition wait for a running erasure, and then adds nothing", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const contacts = yield* ContactStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const contact = yield* freshContact(accountId)
        const holding = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const erasure = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* contacts.write(accountId, changes({ updates: [changed(contact, erased)] }))
              yield* store.erase(accountId, [contact.id])
              yield* Deferred.succeed(holding, undefined)
              yield* Deferred.await(release)
            })
          )
        )
        yield* Deferred.await(holding)
        const addition = yield* Effect.forkChild(store.append(accountId, [draft(contact.id)]))
        expect(yield* endsWithin(Fiber.await(addition), 50)).toBe(false)
        yield* pause(10)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(erasure)
        yield* Fiber.join(addition)
        expect((yield* store.list(accountId, contact.id, firstPage)).totalCount).toBe(0)
      })
    )

    it.effect("accepts concurrent additions to the same contacts, in any order", () =>
      Effect.gen(function* () {
        const store = yield* TimelineStore
        const accountId = yield* freshAccountId
        const contacts = [yield* freshContact(accountId), yield* freshContact(accountId)]
        const batches = times(10, (index) =>
          (index % 2 === 0 ? contacts : contacts.toReversed()).map((contact) => draft(contact.id))
        )
        yield* atOnce(batches.map((batch) => store.append(accountId, batch)))
        for (const contact of contacts) {
          expect((yield* store.list(accountId, contact.id, firstPage)).totalCount).toBe(10)
        }
      })
    )
  })
}
