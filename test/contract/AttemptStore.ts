/**
 * The contract of `core/ports/AttemptStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { Attempt } from "../../core/model/Message.ts"
import {
  atOnce,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

/** An attempt that was deferred. */
export const draftAttempt = (
  accountId: string,
  deliveryId: string,
  claim: number,
  values: Partial<Attempt> = {}
): Attempt => ({
  accountId,
  deliveryId,
  claim,
  startedAt: now,
  finishedAt: now + 10,
  outcome: "Deferred",
  host: null,
  tls: null,
  replies: [],
  error: "timeout",
  source: null,
  ...values
})

/** Tests of the port `AttemptStore`. */
export const attemptStoreContract = (it: StorageTest): void => {
  describe("AttemptStore", () => {
    it.effect("returns a delivery's attempts as they were added, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* AttemptStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const [first, second] = [newId(), newId()]
        const full = draftAttempt(accountId, first, 11, {
          host: "mx.example.com [192.0.2.1]",
          tls: "TLSv1.3",
          replies: ["220 hello", oddText],
          error: null,
          outcome: "Delivered",
          source: "2001:db8::1"
        })
        const attempts = [full, draftAttempt(accountId, first, 2), draftAttempt(accountId, second, 1)]
        yield* store.put([...attempts, draftAttempt(other, first, 1)])
        yield* store.put([])
        expect(yield* store.of([{ accountId, id: first }])).toEqual([attempts[1], full])
        expect(yield* store.of([{ accountId, id: second }])).toEqual([attempts[2]])
        expect(
          yield* store.of([
            { accountId, id: first },
            { accountId, id: second }
          ])
        ).toEqual([attempts[1], full, attempts[2]])
        expect(yield* store.of([{ accountId, id: newId() }])).toEqual([])
        expect(yield* store.of([])).toEqual([])
      })
    )

    it.effect("adds late replies to the attempts that exist, each once and at most 20", () =>
      Effect.gen(function* () {
        const store = yield* AttemptStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const [first, second] = [newId(), newId()]
        const full = times(20, (index) => `250 reply ${index}`)
        const attempts = [
          draftAttempt(accountId, first, 1),
          draftAttempt(accountId, first, 2, { replies: ["250 queued"] }),
          draftAttempt(accountId, second, 1, { replies: full })
        ]
        yield* store.put(attempts)
        yield* store.put([draftAttempt(other, first, 2)])
        yield* store.addReplies([])
        const late = [
          { accountId, deliveryId: first, claim: 2, words: oddText },
          { accountId, deliveryId: second, claim: 1, words: "451 later" },
          { accountId, deliveryId: second, claim: 9, words: "451 of no attempt" },
          { accountId, deliveryId: newId(), claim: 1, words: "451 of no delivery" }
        ]
        yield* store.addReplies(late)
        yield* store.addReplies(late)
        expect(
          (yield* store.of([
            { accountId, id: first },
            { accountId, id: second }
          ])).map(({ replies }) => replies)
        ).toEqual([[], ["250 queued", oddText], [...full.slice(1), "451 later"]])
        expect((yield* store.of([{ accountId: other, id: first }]))[0]!.replies).toEqual([])
      })
    )

    it.effect("does not change a stored attempt", () =>
      Effect.gen(function* () {
        const store = yield* AttemptStore
        const accountId = yield* freshAccountId
        const id = newId()
        const attempt = draftAttempt(accountId, id, 1)
        yield* store.put([attempt])
        yield* store.put([
          draftAttempt(accountId, id, 1, { outcome: "Lost" }),
          draftAttempt(accountId, id, 2)
        ])
        expect(yield* store.of([{ accountId, id }])).toEqual([attempt, draftAttempt(accountId, id, 2)])
      })
    )

    it.effect("stores concurrent batches that overlap in different orders", () =>
      Effect.gen(function* () {
        const store = yield* AttemptStore
        const accountId = yield* freshAccountId
        const ids = times(20, () => newId())
        const batch = ids.map((id) => draftAttempt(accountId, id, 1))
        const exits = yield* atOnce(
          times(6, (index) => store.put(index % 2 === 0 ? batch : batch.toReversed()))
        )
        expect(successes(exits)).toHaveLength(6)
        expect(yield* store.of(ids.map((id) => ({ accountId, id })))).toHaveLength(20)
      })
    )

    it.effect("removes the attempts of deliveries, and restores them when the transaction rolls back", () =>
      Effect.gen(function* () {
        const store = yield* AttemptStore
        const { run } = yield* Transaction
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const id = newId()
        yield* store.put([
          draftAttempt(accountId, id, 1),
          draftAttempt(accountId, id, 2),
          draftAttempt(other, id, 1)
        ])
        yield* Effect.exit(
          run(Effect.andThen(store.erase([{ accountId, id }]), Effect.fail("rejected" as const)))
        )
        expect(yield* store.of([{ accountId, id }])).toHaveLength(2)
        yield* store.erase([
          { accountId, id },
          { accountId, id: newId() }
        ])
        yield* store.erase([])
        expect(yield* store.of([{ accountId, id }])).toEqual([])
        expect(yield* store.of([{ accountId: other, id }])).toHaveLength(1)
      })
    )
  })
}
