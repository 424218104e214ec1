/**
 * The contract of `core/ports/InboxStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type InboxEntry, InboxStore, type NewInboxEntry } from "../../core/ports/InboxStore.ts"
import {
  atOnce,
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times,
  listsNewestFirst
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<NewInboxEntry> = {}): NewInboxEntry => ({
  id: newId(),
  accountId,
  submissionId: newId(),
  to: newEmail(),
  fromEmail: "hello@example.com",
  fromName: null,
  receivedAt: now,
  rendering: { messageId: "a@example.com", selectors: [], opens: false, clicks: true },
  ...values
})

/** The entry in the form in which it is read. */
const stored = ({ rendering, ...entry }: NewInboxEntry): InboxEntry => ({
  ...entry,
  content: { _tag: "OfSubmission", ...rendering }
})

/** Tests of the port `InboxStore`. */
export const inboxStoreContract = (it: StorageTest): void => {
  describe("InboxStore", () => {
    it.effect("returns entries as they were added", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const full = draft(accountId, {
          to: "zoë@example.com",
          fromName: oddText,
          rendering: { messageId: oddText, selectors: ["a", "b"], opens: true, clicks: false }
        })
        const plain = draft(accountId)
        yield* store.put([full, plain])
        expect(yield* store.get(accountId, full.id)).toEqual(stored(full))
        expect(yield* store.get(accountId, plain.id)).toEqual(stored(plain))
        expect(yield* store.get(accountId, newId())).toBeNull()
        expect(yield* store.get(yield* freshAccountId, full.id)).toBeNull()
        expect(yield* store.raw(accountId, full.id)).toBeNull()
      })
    )

    it.effect("does not change a stored entry", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const entry = draft(accountId)
        yield* store.put([entry])
        yield* store.put([
          { ...entry, fromEmail: "other@example.com", receivedAt: now + 5 },
          draft(accountId)
        ])
        expect(yield* store.get(accountId, entry.id)).toEqual(stored(entry))
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(2)
      })
    )

    it.effect("stores an entry once that is put many times concurrently", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const entries = times(20, () => draft(accountId))
        const exits = yield* atOnce(
          times(8, (writer) => store.put(writer % 2 === 0 ? entries : entries.toReversed()))
        )
        expect(successes(exits)).toHaveLength(8)
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(20)
      })
    )

    it.effect("accepts 1,000 entries at once, and an empty batch", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        yield* store.put(times(1000, () => draft(accountId)))
        yield* store.put([])
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(1000)
      })
    )

    listsNewestFirst(it, "messages", InboxStore, ({ list, put }) => ({
      draft: (accountId, receivedAt) => stored(draft(accountId, { receivedAt })),
      timeOf: (message) => message.receivedAt,
      insert: (entry) => put([{ ...draft(entry.accountId), ...entry }]),
      list
    }))
  })
}
