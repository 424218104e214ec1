/**
 * The contract of `core/ports/SegmentStore`. That definitions pick the right people, whatever the store, is in
 * test/adapters/postgres/segments.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Contact } from "../../core/model/Contact.ts"
import type { Segment } from "../../core/model/Segment.ts"
import type { SegmentDefinition, SegmentRule } from "../../core/model/SegmentDefinition.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { SegmentStore } from "../../core/ports/SegmentStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import {
  changed,
  changes,
  draftContact,
  firstPage,
  freshAccountId,
  newId,
  now,
  oddText,
  readPages,
  type StorageTest,
  times
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<Segment> = {}): Segment => ({
  id: newId(),
  accountId,
  name: oddText,
  description: null,
  definition: { join: "All", rules: [] },
  builtInKey: null,
  createdAt: now,
  ...values
})

const all = (...rules: ReadonlyArray<SegmentRule>): SegmentDefinition => ({ join: "All", rules })
const any = (...rules: ReadonlyArray<SegmentRule>): SegmentDefinition => ({ join: "Any", rules })

const city = (text: string): SegmentRule => ({
  field: { _tag: "Text", column: "city" },
  test: { operator: "Equals", text }
})

const happened = (name: string, count: number, days = 1): SegmentRule => ({
  field: { _tag: "Events", name },
  test: { operator: "HappenedAtLeast", count, days }
})

const insert = Effect.fnUntraced(function* (accountId: string, contacts: ReadonlyArray<Contact>) {
  const store = yield* ContactStore
  yield* store.write(accountId, changes({ inserts: contacts }))
})

const erase = Effect.fnUntraced(function* (accountId: string, contact: Contact) {
  const store = yield* ContactStore
  const values = { email: null, externalId: null, city: null, erasedAt: now, addressHash: "hash" }
  yield* store.write(accountId, changes({ updates: [changed(contact, values)] }))
})

const storing = (it: StorageTest): void => {
  it.effect("returns segments, oldest first, and separates accounts", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const segments = [
        draft(accountId, {
          description: oddText,
          definition: {
            join: "Any",
            rules: [
              { fieldKey: "tags", operator: "HasAny", value: [oddText, "b"] },
              { fieldKey: "orderCount", operator: "Between", value: { from: -0.1, to: 1e21 } },
              { fieldKey: "isPayingCustomer", operator: "IsTrue", value: null }
            ]
          }
        }),
        draft(accountId, { createdAt: now + 1 }),
        draft(accountId, { createdAt: now + 1 })
      ]
      for (const segment of [segments[2]!, segments[0]!, segments[1]!]) yield* store.insert(segment)
      yield* store.insert(draft(other))
      expect(yield* store.list(accountId)).toEqual(segments)
      expect(yield* store.list(yield* freshAccountId)).toEqual([])
    })
  )

  it.effect("changes name, description and definition, only in the own account", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const segment = draft(accountId)
      const after: Segment = {
        ...segment,
        name: "After",
        description: "Described",
        definition: { join: "Any", rules: [{ fieldKey: "city", operator: "Equals", value: "Wien" }] }
      }
      yield* store.insert(segment)
      yield* store.save({ ...after, accountId: yield* freshAccountId })
      expect(yield* store.list(accountId)).toEqual([segment])
      yield* store.save({ ...after, createdAt: now + 5 })
      expect(yield* store.list(accountId)).toEqual([after])
      yield* store.save(draft(accountId))
      expect(yield* store.list(accountId)).toEqual([after])
    })
  )

  it.effect("removes a segment and returns it", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const segment = draft(accountId)
      yield* store.insert(segment)
      expect(yield* store.remove(yield* freshAccountId, segment.id)).toBeNull()
      expect(yield* store.remove(accountId, segment.id)).toEqual(segment)
      expect(yield* store.remove(accountId, segment.id)).toBeNull()
      expect(yield* store.list(accountId)).toEqual([])
    })
  )
}

const counting = (it: StorageTest): void => {
  it.effect("counts contacts that may be emailed: with consent, and not suppressed", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const suppressions = yield* SuppressionStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const contacts = (
        [
          "Unknown",
          "SoftOptIn",
          "Subscribed",
          "Subscribed",
          "Unsubscribed",
          "Bounced",
          "Complained",
          "CheckoutStarted",
          "PendingConfirmation"
        ] as const
      ).map((consentStatus, index) => draftContact({ consentStatus, city: index < 4 ? "Wien" : "Graz" }))
      yield* insert(accountId, contacts)
      yield* insert(other, [draftContact({ consentStatus: "Subscribed", email: contacts[2]!.email })])
      const suppress = (account: string, contact: Contact) =>
        suppressions.put([{ accountId: account, email: contact.email!, kind: "Protected", createdAt: now }])
      yield* suppress(accountId, contacts[3]!)
      yield* suppress(accountId, contacts[4]!)
      yield* suppress(accountId, draftContact())
      yield* suppress(other, contacts[1]!)
      const definitions = [
        all(),
        any(),
        all(city("WIEN")),
        all(city("Graz")),
        any(city("Wien"), city("Graz"))
      ]
      expect(yield* store.count(accountId, definitions, now)).toEqual([
        { count: 9, sendableCount: 2 },
        { count: 9, sendableCount: 2 },
        { count: 4, sendableCount: 2 },
        { count: 5, sendableCount: 0 },
        { count: 9, sendableCount: 2 }
      ])
      expect(yield* store.count(accountId, [all(city("Wien"))], now)).toEqual([
        { count: 4, sendableCount: 2 }
      ])
      expect(yield* store.count(accountId, [], now)).toEqual([])
      expect(yield* store.count(yield* freshAccountId, [all()], now)).toEqual([
        { count: 0, sendableCount: 0 }
      ])
    })
  )

  it.effect("counts 40 definitions at once, in order", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      yield* insert(
        accountId,
        times(40, (index) => draftContact({ city: `City ${index % 20}`, consentStatus: "SoftOptIn" }))
      )
      const definitions = times(40, (index) => all(city(`City ${index}`)))
      expect(yield* store.count(accountId, definitions, now)).toEqual(
        times(40, (index) => (index < 20 ? { count: 2, sendableCount: 2 } : { count: 0, sendableCount: 0 }))
      )
    })
  )

  it.effect("counts the events of a contact by UTC days", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const timeline = yield* TimelineStore
      const accountId = yield* freshAccountId
      const [once, twice, long, never] = times(4, () => draftContact())
      yield* insert(accountId, [once!, twice!, long!, never!])
      const yesterday = Math.floor(now / 86_400_000) * 86_400_000 - 86_400_000
      const happens = (contact: Contact, name: string, occurredAt: number) => ({
        id: newId(),
        contactId: contact.id,
        name,
        occurredAt,
        properties: {},
        source: "Api"
      })
      yield* timeline.append(accountId, [
        happens(once!, "bought", now),
        happens(twice!, "bought", now - 1),
        happens(twice!, "bought", yesterday),
        happens(long!, "bought", yesterday - 1),
        happens(never!, "visited", now)
      ])
      const ids = Effect.fnUntraced(function* (definition: SegmentDefinition) {
        const page = yield* store.contacts(accountId, definition, firstPage, now)
        return page.items.map((contact) => contact.id).toSorted()
      })
      expect(yield* ids(all(happened("bought", 1)))).toEqual([once!.id, twice!.id])
      expect(yield* ids(all(happened("bought", 2)))).toEqual([twice!.id])
      expect(yield* ids(all(happened("bought", 1, 2)))).toEqual([once!.id, twice!.id, long!.id])
      expect(yield* ids(any(happened("visited", 1), happened("bought", 2)))).toEqual([twice!.id, never!.id])
      expect(
        yield* store.count(accountId, [all(happened("bought", 1)), all(happened("seen", 1))], now)
      ).toEqual([
        { count: 2, sendableCount: 0 },
        { count: 0, sendableCount: 0 }
      ])
    })
  )
}

const listing = (it: StorageTest): void => {
  it.effect("lists contacts newest first, then by id, page by page, without erased ones", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const contacts = [
        draftContact({ addedAt: now, city: "Wien" }),
        draftContact({ addedAt: now + 2, city: "wien" }),
        draftContact({ addedAt: now + 1, city: "Graz" }),
        draftContact({ addedAt: now + 2, city: "WIEN" }),
        draftContact({ addedAt: now - 1, city: "Wien", attributes: { list: ["x"] }, totalSpent: "0.10" })
      ]
      const gone = draftContact({ addedAt: now + 3, city: "Wien" })
      yield* insert(accountId, [...contacts, gone])
      yield* erase(accountId, gone)
      const expected = [contacts[3]!, contacts[1]!, contacts[2]!, contacts[0]!, contacts[4]!]
      expect(yield* readPages((page) => store.contacts(accountId, null, page, now), 2)).toEqual(expected)
      expect(yield* readPages((page) => store.contacts(accountId, all(), page, now), 2)).toEqual(expected)
      expect(yield* readPages((page) => store.contacts(accountId, all(city("Wien")), page, now), 3)).toEqual(
        expected.filter((contact) => contact !== contacts[2])
      )
      const far = { page: 1_000_000, pageSize: 200 }
      for (const definition of [null, all(city("Wien"))]) {
        const page = yield* store.contacts(accountId, definition, far, now)
        expect(page).toEqual({ ...far, items: [], totalCount: definition === null ? 5 : 4 })
      }
      const empty = yield* store.contacts(yield* freshAccountId, null, firstPage, now)
      expect(empty).toEqual({ ...firstPage, items: [], totalCount: 0 })
    })
  )

  it.effect("compares any string literally", () =>
    Effect.gen(function* () {
      const store = yield* SegmentStore
      const accountId = yield* freshAccountId
      const hostile = "'; drop table contacts; -- $1 %_\\ \" {"
      const contact = draftContact({
        city: hostile,
        attributes: { [hostile]: hostile },
        tags: [hostile]
      })
      yield* insert(accountId, [contact, draftContact()])
      const definition = all(
        city(hostile),
        { field: { _tag: "Tags" }, test: { operator: "HasAll", items: [hostile.toUpperCase()] } },
        {
          field: { _tag: "Attribute", key: hostile, type: "Text" },
          test: { operator: "In", texts: [hostile, oddText] }
        },
        { field: { _tag: "Events", name: hostile }, test: { operator: "IsNotSet" } }
      )
      expect((yield* store.contacts(accountId, definition, firstPage, now)).items).toEqual([contact])
    })
  )
}

/** Tests of the port `SegmentStore`. */
export const segmentStoreContract = (it: StorageTest): void => {
  describe("SegmentStore", () => {
    storing(it)
    counting(it)
    listing(it)
  })
}
