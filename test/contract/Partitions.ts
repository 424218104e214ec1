/**
 * The contract of `core/ports/Partitions`, and of rows whose ids contain unusual times.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { AttemptStore } from "../../core/ports/AttemptStore.ts"
import { type EventFilter, EventStore } from "../../core/ports/EventStore.ts"
import { Partitions } from "../../core/ports/Partitions.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { draftAttempt } from "./AttemptStore.ts"
import { draftEvent } from "./drafts.ts"
import { firstPage, freshAccount, freshAccountId, idAt, type StorageTest, times, unique } from "./fixtures.ts"

const day = 86_400_000

/** Times in ids: from an unset clock, days and years apart, and far in the future. */
const unusual = (now: number): ReadonlyArray<number> => [
  0,
  now - 4000 * day,
  now - day,
  now,
  now + 40 * day,
  now + 400 * day,
  Date.UTC(9999, 11, 31)
]

const any: EventFilter = { name: null, status: null, contactId: null }
const name = "page.viewed"
const filters: ReadonlyArray<EventFilter> = [
  any,
  { ...any, name: [name] },
  { ...any, status: ["Processed"] },
  { ...any, name: [name], status: ["Processed"] }
]

/** More than fit on a page. */
const many = 210

/** Tests of the port `Partitions`. */
export const partitionsContract = (it: StorageTest): void => {
  describe("Partitions", () => {
    it.effect("are made once, at least two months ahead", () =>
      Effect.gen(function* () {
        const { extend, tables } = yield* Partitions
        const now = Date.now()
        yield* extend(now)
        expect(yield* extend(now)).toBe(0)
        for (const { until } of yield* tables) expect(until).toBeGreaterThan(now + 59 * day)
      })
    )

    it.effect("hold ids of any time, found by id, listed in order and unique in their event ids", () =>
      Effect.gen(function* () {
        const [{ extend }, events, attempts] = [yield* Partitions, yield* EventStore, yield* AttemptStore]
        const [accountId, now] = [yield* freshAccountId, Date.now()]
        yield* extend(now)
        const ids = unusual(now).map(idAt)
        const added = ids.map((id) => draftEvent({ id }))
        yield* Effect.forEach(added, (event) => events.insert(accountId, [event]))
        const again = yield* Effect.forEach(added.toReversed(), ({ eventId }, place) =>
          events.insert(accountId, [draftEvent({ eventId, id: idAt(unusual(now)[place]! + 1) })])
        )
        expect(again).toEqual(ids.map(() => []))
        const twice = unique("event")
        const both = times(2, (each) => draftEvent({ eventId: twice, id: idAt(now + each * 60 * day) }))
        expect(yield* events.insert(accountId, both)).toEqual([both[0]!.id])
        const listed = yield* events.list(accountId, any, firstPage)
        expect(listed.items.map(({ id }) => id)).toEqual([...ids, both[0]!.id].toSorted().toReversed())
        const later = times(many, (each) => draftEvent({ id: idAt(now + 401 * day + each), name }))
        yield* events.insert(accountId, later)
        const { run } = yield* Transaction
        yield* run(
          Effect.flatMap(events.claimBatch(accountId, 1000, 1_000_000), (claimed) =>
            events.complete(
              accountId,
              claimed.map(({ id }) => ({ id, failure: null }))
            )
          )
        )
        for (const filter of filters) {
          const newest = [
            ...(filter.name === null ? [ids.at(-1)] : []),
            ...later.map(({ id }) => id).toReversed()
          ]
          for (const page of [1, 2]) {
            const { items } = yield* events.list(accountId, filter, { page, pageSize: 1 })
            expect(items.map(({ id }) => id)).toEqual([newest[page - 1]])
          }
        }

        const refs = ids.map((id) => ({ accountId, id }))
        yield* attempts.put(ids.flatMap((id) => times(2, (claim) => draftAttempt(accountId, id, claim))))
        expect((yield* attempts.of(refs)).map(({ deliveryId }) => deliveryId)).toEqual(
          ids.toSorted().flatMap((id) => [id, id])
        )
        yield* attempts.erase([refs[0]!, refs[3]!])
        const left = yield* attempts.of(refs)
        expect(new Set(left.map(({ deliveryId }) => deliveryId))).toEqual(
          new Set(ids.filter((_, place) => place !== 0 && place !== 3))
        )
      })
    )

    it.effect("are dropped only when no account keeps their attempts", () =>
      Effect.gen(function* () {
        const [{ drop }, attempts] = [yield* Partitions, yield* AttemptStore]
        const { id: accountId } = yield* freshAccount({ recipientRetentionDays: 3000 })
        const now = Date.now()
        const id = idAt(now - 2999 * day)
        yield* attempts.put([draftAttempt(accountId, id, 1)])
        yield* drop(now)
        expect(yield* attempts.of([{ accountId, id }])).toHaveLength(1)
      })
    )
  })
}
