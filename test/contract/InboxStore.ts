/**
 * The contract of `core/ports/InboxStore`.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type InboxMessage, InboxStore } from "../../core/ports/InboxStore.ts"
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

const draft = (accountId: string, values: Partial<InboxMessage> = {}): InboxMessage => ({
  id: newId(),
  accountId,
  submissionId: newId(),
  to: newEmail(),
  fromEmail: "hello@example.com",
  fromName: null,
  subject: "Hello",
  html: null,
  text: "Hello",
  receivedAt: now,
  ...values
})

const raw = new TextEncoder().encode("Subject: Hello\r\n\r\nHello\r\n")

const entry = (message: InboxMessage, bytes: Uint8Array = raw) => ({ message, raw: bytes })

/** Tests of the port `InboxStore`. */
export const inboxStoreContract = (it: StorageTest): void => {
  describe("InboxStore", () => {
    it.effect("returns messages as they were added", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const full = draft(accountId, {
          to: "zoë@example.com",
          fromName: oddText,
          subject: oddText,
          html: `<p>${oddText}</p>`,
          text: oddText
        })
        const plain = draft(accountId, { subject: "", text: null })
        yield* store.put([entry(full), entry(plain)])
        expect(yield* store.get(accountId, full.id)).toEqual(full)
        expect(yield* store.get(accountId, plain.id)).toEqual(plain)
        expect(yield* store.get(accountId, newId())).toBeNull()
        expect(yield* store.get(yield* freshAccountId, full.id)).toBeNull()
      })
    )

    it.effect("returns raw bytes unchanged", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
        // A view into a larger buffer, as network buffers are.
        const large = new Uint8Array(randomBytes(2_000_000).buffer, 0, 1_000_001)
        const messages = [every, new Uint8Array(0), large].map((bytes) => entry(draft(accountId), bytes))
        yield* store.put(messages)
        for (const { message, raw: bytes } of messages) {
          const stored = yield* store.raw(accountId, message.id)
          expect(Buffer.compare(stored!, bytes)).toBe(0)
        }
        expect(yield* store.raw(accountId, newId())).toBeNull()
        expect(yield* store.raw(yield* freshAccountId, messages[0]!.message.id)).toBeNull()
      })
    )

    it.effect("copies bytes for the writer and for each reader", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const message = draft(accountId)
        const given = Uint8Array.of(1, 2, 3)
        yield* store.put([entry(message, given)])
        given[0] = 9
        const read = yield* store.raw(accountId, message.id)
        read![1] = 9
        expect(Array.from((yield* store.raw(accountId, message.id))!)).toEqual([1, 2, 3])
      })
    )

    it.effect("does not change a stored message", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const message = draft(accountId)
        const again = { ...message, subject: "Other", receivedAt: now + 5 }
        yield* store.put([entry(message)])
        yield* store.put([entry(again, Uint8Array.of(1)), entry(draft(accountId))])
        expect(yield* store.get(accountId, message.id)).toEqual(message)
        expect(Array.from((yield* store.raw(accountId, message.id))!)).toEqual(Array.from(raw))
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(2)
      })
    )

    it.effect("stores a message once that is put many times concurrently", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        const messages = times(20, () => draft(accountId))
        const exits = yield* atOnce(
          times(8, (writer) =>
            store.put((writer % 2 === 0 ? messages : messages.toReversed()).map((message) => entry(message)))
          )
        )
        expect(successes(exits)).toHaveLength(8)
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(20)
      })
    )

    it.effect("accepts 1,000 messages at once, and an empty batch", () =>
      Effect.gen(function* () {
        const store = yield* InboxStore
        const accountId = yield* freshAccountId
        yield* store.put(times(1000, () => entry(draft(accountId))))
        yield* store.put([])
        expect((yield* store.list(accountId, firstPage)).totalCount).toBe(1000)
      })
    )

    listsNewestFirst(it, "messages", InboxStore, ({ list, put }) => ({
      draft: (accountId, receivedAt) => draft(accountId, { receivedAt }),
      timeOf: (message) => message.receivedAt,
      insert: (message) => put([entry(message)]),
      list
    }))
  })
}
