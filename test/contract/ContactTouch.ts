/**
 * The contract of `core/ports/ContactStore`: timestamps that email activity moves forward.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Contact } from "../../core/model/Contact.ts"
import { ContactStore, type ContactTouch, type ContactUntouch } from "../../core/ports/ContactStore.ts"
import {
  atOnce,
  byId,
  changes,
  draftContact,
  expectFailure,
  changed,
  freshAccountId,
  keys,
  newEmail,
  now,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const touch = ({ email }: Contact, field: ContactTouch["field"], at: number): ContactTouch => ({
  email: email!,
  field,
  at
})

/** Tests `touch` of the port `ContactStore`. */
export const contactTouchContract = (it: StorageTest): void => {
  describe("ContactStore: times of email", () => {
    it.effect("moves times of several fields forward and never back", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const [a, b] = [
          draftContact({ attributes: { plan: "pro" }, tags: ["x"], externalId: "1" }),
          draftContact({ lastOpenAt: now + 50 })
        ]
        const foreign = draftContact({ email: a.email })
        yield* store.write(accountId, changes({ inserts: [a, b] }))
        yield* store.write(other, changes({ inserts: [foreign] }))
        const find = Effect.map(store.find(accountId, keys({ ids: [a.id, b.id] })), (found) => [
          found.find((one) => one.id === a.id),
          found.find((one) => one.id === b.id)
        ])
        yield* store.touch(accountId, [
          touch(a, "lastEmailedAt", now + 1),
          touch(a, "lastEmailedAt", now + 3),
          touch(a, "lastEmailedAt", now + 2),
          touch(a, "lastOpenAt", now + 4),
          touch(b, "lastOpenAt", now + 5),
          touch(b, "lastClickAt", now + 6),
          { email: newEmail(), field: "lastClickAt", at: now }
        ])
        const touchedA = { ...a, lastEmailedAt: now + 3, lastOpenAt: now + 4, version: a.version + 1 }
        const touchedB = { ...b, lastClickAt: now + 6, version: b.version + 1 }
        expect(yield* find).toEqual([touchedA, touchedB])
        // No time is later, so nothing is written.
        yield* store.touch(accountId, [touch(a, "lastEmailedAt", now + 3), touch(b, "lastOpenAt", now)])
        yield* store.touch(accountId, [])
        expect(yield* find).toEqual([touchedA, touchedB])
        expect(yield* store.find(other, keys({ ids: [foreign.id] }))).toEqual([foreign])
      })
    )

    it.effect("replaces a time that is still the given one, and no other", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const [a, b] = [
          draftContact({ lastOpenAt: now, lastClickAt: now + 1 }),
          draftContact({ lastOpenAt: now })
        ]
        yield* store.write(accountId, changes({ inserts: [a, b] }))
        const wrong = (contact: Contact, values: Partial<ContactUntouch>): ContactUntouch => ({
          email: contact.email!,
          field: "lastOpenAt",
          from: now,
          to: null,
          ...values
        })
        yield* store.untouch(accountId, [
          wrong(a, { to: now - 5 }),
          wrong(a, { field: "lastClickAt", from: now + 1 }),
          wrong(b, { from: now + 1, to: now - 9 }),
          wrong(b, { field: "lastClickAt" }),
          wrong(draftContact(), {})
        ])
        yield* store.untouch(accountId, [])
        const found = yield* store.find(accountId, keys({ ids: [a.id, b.id] }))
        expect(byId(found).map(({ version: _version, ...rest }) => rest)).toEqual(
          byId([{ ...a, lastOpenAt: now - 5, lastClickAt: null }, b]).map(
            ({ version: _version, ...rest }) => rest
          )
        )
        expect(found.find(({ id }) => id === b.id)!.version).toBe(b.version)
      })
    )

    it.effect("makes a change decided before it stale", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const contact = draftContact()
        yield* store.write(accountId, changes({ inserts: [contact] }))
        yield* store.touch(accountId, [touch(contact, "lastClickAt", now)])
        const update = changed(contact, { firstName: "Zoë" })
        yield* expectFailure(store.write(accountId, changes({ updates: [update] })), "WriteConflict")
      })
    )

    it.effect("keeps the latest of concurrent times in different orders", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const accountId = yield* freshAccountId
        const contacts = times(20, () => draftContact())
        yield* store.write(accountId, changes({ inserts: contacts }))
        const exits = yield* atOnce(
          times(8, (index) => {
            const touches = contacts.map((contact) => touch(contact, "lastOpenAt", now + index))
            return store.touch(accountId, index % 2 === 0 ? touches : touches.toReversed())
          })
        )
        expect(successes(exits)).toHaveLength(8)
        const found = yield* store.find(accountId, keys({ ids: contacts.map((one) => one.id) }))
        expect(new Set(found.map((one) => one.lastOpenAt))).toEqual(new Set([now + 7]))
      })
    )
  })
}
