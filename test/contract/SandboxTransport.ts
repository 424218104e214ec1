/**
 * The contract of `core/ports/SandboxTransport`: a sandbox message reaches its account's inbox exactly once, in the caller's
 * transaction.
 *
 * @module
 */
import { describe, expect, type Vitest } from "@effect/vitest"
import { Data, Effect } from "effect"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { type SandboxMessage, SandboxTransport } from "../../core/ports/SandboxTransport.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { newId, now, oddText, times } from "./fixtures.ts"

class RolledBack extends Data.TaggedError("RolledBack")<{}> {}

const draft = (to: string, changes: Partial<SandboxMessage> = {}): SandboxMessage => ({
  id: newId(),
  submissionId: newId(),
  accountId: newId(),
  to,
  fromEmail: "hello@example.com",
  fromName: oddText,
  rendering: { messageId: "a@example.com", selectors: ["s"], opens: true, clicks: false },
  attempts: 0,
  ...changes
})

/** Tests of the port `SandboxTransport`, with the inbox that it fills. */
export const sandboxTransportContract = (
  it: Vitest.MethodsNonLive<SandboxTransport | InboxStore | Transaction>
): void => {
  describe("SandboxTransport", () => {
    it.effect("puts a message into its account's inbox as it was sent", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxTransport
        const inbox = yield* InboxStore
        const message = draft("ada@example.org")
        expect(yield* send([message], now)).toEqual([{ _tag: "Delivered" }])
        const { attempts: _attempts, rendering, ...entry } = message
        expect(yield* inbox.get(message.accountId, message.id)).toEqual({
          ...entry,
          receivedAt: now,
          content: { _tag: "OfSubmission", ...rendering }
        })
      })
    )

    it.effect("returns the outcomes in order, and delivers what is Delivered or Complained only", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxTransport
        const inbox = yield* InboxStore
        const accountId = newId()
        const messages = [
          draft("bounce@example.org", { accountId }),
          draft("complaint@example.org", { accountId }),
          draft("defer@example.org", { accountId }),
          draft("defer@example.org", { accountId, attempts: 1 }),
          ...times(100, (index) => draft(`person${index}@example.org`, { accountId }))
        ]
        const outcomes = yield* send(messages, now)
        const tags = outcomes.map(({ _tag }) => _tag)
        expect(tags.slice(0, 4)).toEqual(["Bounced", "Complained", "Deferred", "Delivered"])
        expect(tags.slice(4)).toEqual(times(100, () => "Delivered"))
        for (const [index, { id }] of messages.entries()) {
          const found = yield* inbox.get(accountId, id)
          expect(found !== null).toBe(["Complained", "Delivered"].includes(tags[index]!))
        }
        expect(yield* send([], now)).toEqual([])
      })
    )

    it.effect("stores a message once, however often it is sent", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxTransport
        const inbox = yield* InboxStore
        const message = draft("ada@example.org")
        for (const at of [now, now + 1]) expect(yield* send([message], at)).toEqual([{ _tag: "Delivered" }])
        const { items } = yield* inbox.list(message.accountId, { page: 1, pageSize: 10 })
        expect(items).toMatchObject([{ id: message.id, receivedAt: now }])
      })
    )

    it.effect("stores nothing when the caller's transaction fails", () =>
      Effect.gen(function* () {
        const { send } = yield* SandboxTransport
        const inbox = yield* InboxStore
        const { run } = yield* Transaction
        const message = draft("ada@example.org")
        const failing = run(Effect.andThen(send([message], now), Effect.fail(new RolledBack())))
        expect(yield* Effect.flip(failing)).toEqual(new RolledBack())
        expect(yield* inbox.get(message.accountId, message.id)).toBeNull()
      })
    )
  })
}
