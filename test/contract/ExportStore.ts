/**
 * The contract of `core/ports/ExportStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { ConsentEntry } from "../../core/model/Consent.ts"
import { newItem, ownItems } from "../../core/model/Item.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { ExportStore } from "../../core/ports/ExportStore.ts"
import { ItemStore } from "../../core/ports/ItemStore.ts"
import { SegmentStore } from "../../core/ports/SegmentStore.ts"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { TemplateStore } from "../../core/ports/TemplateStore.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import {
  byId,
  changes,
  draftContact,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest,
  times
} from "./fixtures.ts"

/** All rows, page by page. No page may exceed its limit. */
const readAll = Effect.fnUntraced(function* <A, E>(
  read: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<A>, E>,
  keyOf: (row: A) => string,
  limit: number
) {
  const all: Array<A> = []
  for (let after: string | null = null; ;) {
    const page: ReadonlyArray<A> = yield* read(after, limit)
    expect(page.length).toBeLessThanOrEqual(limit)
    all.push(...page)
    if (page.length < limit) return all
    after = keyOf(page.at(-1)!)
  }
})

/** Tests of the port `ExportStore`. */
export const exportStoreContract = (it: StorageTest): void => {
  describe("ExportStore", () => {
    it.effect("reads an account's contacts by id, each once and complete, without erased ones", () =>
      Effect.gen(function* () {
        const store = yield* ExportStore
        const contacts = yield* ContactStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const living = times(7, (index) =>
          draftContact({
            firstName: oddText,
            attributes: { text: oddText },
            addedAt: now - index,
            totalSpent: "1.50"
          })
        )
        const erased = draftContact({ email: null, erasedAt: now, addressHash: "hash" })
        yield* contacts.write(accountId, changes({ inserts: [...living, erased] }))
        yield* contacts.write(other, changes({ inserts: [draftContact()] }))
        const read = (after: string | null, limit: number) => store.contacts(accountId, after, limit)
        for (const limit of [1, 3, 7, 100]) {
          expect(yield* readAll(read, ({ id }) => id, limit)).toEqual(byId(living))
        }
        expect(yield* store.contacts(yield* freshAccountId, null, 10)).toEqual([])
      })
    )

    it.effect("returns the whole consent history of contacts, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* ExportStore
        const contacts = yield* ContactStore
        const accountId = yield* freshAccountId
        const [first, second, silent] = [draftContact(), draftContact(), draftContact()]
        const entry = (contactId: string, at: number): ConsentEntry => ({
          id: newId(),
          contactId,
          from: null,
          to: "Subscribed",
          basis: "Subscribed",
          proof: { text: oddText, textVersion: null, locale: "de", ipAddress: "192.0.2.1", givenAt: at },
          source: "Api",
          at
        })
        const ofFirst = times(40, (index) => entry(first.id, now + Math.floor(index / 2)))
        const ofSecond = [entry(second.id, now - 5)]
        yield* contacts.write(
          accountId,
          changes({ inserts: [first, second, silent], consents: [...ofFirst, ...ofSecond].toReversed() })
        )
        expect(yield* store.consents(accountId, [second.id, silent.id, newId(), first.id])).toEqual([
          ...ofSecond,
          ...ofFirst
        ])
        expect(yield* store.consents(yield* freshAccountId, [first.id])).toEqual([])
        expect(yield* store.consents(accountId, [])).toEqual([])
      })
    )

    it.effect("reads suppressed addresses in bytewise order, without those of erased people", () =>
      Effect.gen(function* () {
        const store = yield* ExportStore
        const suppressions = yield* SuppressionStore
        const accountId = yield* freshAccountId
        const emails = ["a@b.example", "a-b@b.example", "z@b.example", "ab@b.example", newEmail()]
        const entries = emails.map((email, index) => ({
          accountId,
          email,
          kind: index % 2 === 0 ? ("Bounced" as const) : ("Protected" as const),
          source: "Ui" as const,
          createdAt: now - index
        }))
        const erased = {
          accountId,
          email: newEmail(),
          kind: "Complained" as const,
          source: "Report" as const,
          createdAt: now
        }
        yield* suppressions.put([...entries, erased])
        yield* suppressions.erase(accountId, [{ email: erased.email, hash: "a".repeat(64) }])
        const ordered = entries.toSorted((a, b) => (a.email < b.email ? -1 : 1))
        const read = (after: string | null, limit: number) => store.suppressions(accountId, after, limit)
        for (const limit of [1, 2, 100]) {
          expect(yield* readAll(read, ({ email }) => email, limit)).toEqual(ordered)
        }
        expect(yield* store.suppressions(yield* freshAccountId, null, 10)).toEqual([])
      })
    )

    it.effect("allows the same ids in two accounts, as after an import of one into the other", () =>
      Effect.gen(function* () {
        const [templates, segments, webhooks] = [
          yield* TemplateStore,
          yield* SegmentStore,
          yield* WebhookStore
        ]
        const [contacts, topics, store] = [yield* ContactStore, yield* TopicStore, yield* ExportStore]
        const both = [yield* freshAccountId, yield* freshAccountId]
        const id = newId()
        const contact = draftContact()
        for (const accountId of both) {
          const named = { id, accountId, name: accountId, createdAt: now, updatedAt: now, updatedBy: null }
          yield* templates.insert({
            ...named,
            subject: "s",
            version: 1,
            format: "Html",
            source: null,
            preheader: null,
            html: null,
            compiledHtml: null,
            text: "t"
          })
          yield* segments.insert({
            ...named,
            description: null,
            definition: { join: "All", rules: [] },
            builtInKey: null
          })
          yield* topics.insert({
            ...named,
            key: "news",
            description: null,
            defaultOn: true,
            isArchived: false
          })
          yield* webhooks.insert(
            {
              id,
              accountId,
              url: `https://${accountId}.example`,
              events: [],
              fields: [],
              description: null,
              secrets: [{ sealed: "sealed", until: null }],
              status: "Active",
              stoppedReason: null,
              failuresInARow: 0,
              createdAt: now
            },
            20
          )
          yield* contacts.write(accountId, changes({ inserts: [contact] }))
        }
        for (const accountId of both) {
          expect((yield* templates.find(accountId, [id]))[0]?.name).toBe(accountId)
          expect((yield* segments.list(accountId))[0]?.name).toBe(accountId)
          expect((yield* topics.list(accountId))[0]?.name).toBe(accountId)
          expect((yield* webhooks.find([{ accountId, webhookId: id }]))[0]?.accountId).toBe(accountId)
          expect(yield* store.contacts(accountId, null, 10)).toEqual([contact])
        }
        expect((yield* templates.remove(both[0]!, id))?.accountId).toBe(both[0])
        expect(yield* templates.find(both[1]!, [id])).toHaveLength(1)
      })
    )

    it.effect("reads items by their own id, of every owner", () =>
      Effect.gen(function* () {
        const store = yield* ExportStore
        const items = yield* ItemStore
        const accountId = yield* freshAccountId
        const storeId = newId()
        const made = times(5, (index) => ({
          ...newItem(
            index < 3 ? ownItems : { storeId, source: "Shopify" as const },
            newId(),
            `item ${index}`,
            now
          ),
          name: oddText,
          price: "10.50",
          currency: "EUR",
          attributes: { list: ["a", oddText] }
        }))
        yield* items.write(accountId, { inserts: made.toReversed(), updates: [], updatedFields: "Any" })
        const read = (after: string | null, limit: number) => store.items(accountId, after, limit)
        for (const limit of [1, 2, 100])
          expect(yield* readAll(read, ({ id }) => id, limit)).toEqual(byId(made))
        expect(yield* store.items(yield* freshAccountId, null, 10)).toEqual([])
      })
    )
  })
}
