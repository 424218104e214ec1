/**
 * The contract of `core/ports/VisitStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type DeliveryVisits, noVisits, type Visit } from "../../core/model/Visit.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { draftSubmission } from "./drafts.ts"
import {
  atOnce,
  freshAccountId,
  newEmail,
  newId,
  now,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

/** A click by a reader. */
const draftVisit = (at: number, values: Partial<Visit> = {}): Visit => ({
  at,
  kind: "Click",
  link: "0123456789abcdef",
  method: "GET",
  network: "192.0.2.0/24",
  agent: "Browser",
  verdict: "Human",
  rule: "rest",
  ...values
})

/** A stored delivery with some visits. */
export const draftVisits = (
  accountId: string,
  deliveryId: string,
  values: Partial<DeliveryVisits> = {}
): DeliveryVisits => ({
  ...noVisits(accountId, deliveryId),
  visits: [draftVisit(now)],
  clicks: { Human: 1, Machine: 0, Unknown: 0 },
  readerClickedAt: now,
  ...values
})

const inserted = Effect.fnUntraced(function* (accountId: string, count: number) {
  const submissions = times(count, () => draftSubmission(accountId))
  yield* (yield* SubmissionStore).insert(accountId, submissions, [])
  return submissions.map(({ deliveries }) => ({ accountId, id: deliveries[0]!.id }))
})

/** Tests of the port `VisitStore`. */
export const visitStoreContract = (it: StorageTest): void => {
  describe("VisitStore", () => {
    it.effect("returns what was stored of a delivery, and nothing of one without visits", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const accountId = yield* freshAccountId
        const refs = yield* inserted(accountId, 3)
        const [first, second] = refs.map(({ id }) => id) as [string, string]
        expect(yield* store.of(refs)).toEqual([])
        const visits = [
          draftVisit(now, { kind: "Open", link: null, network: null, agent: "None", verdict: "Unknown" }),
          draftVisit(now + 1, { method: "HEAD", verdict: "Machine", rule: "method" })
        ]
        const full = draftVisits(accountId, first, { visits, readerOpenedAt: now, readerClickedAt: null })
        yield* store.put([full, draftVisits(accountId, second)])
        yield* store.put([])
        expect(yield* store.of([{ accountId, id: first }])).toEqual([full])
        expect(yield* store.of(refs)).toHaveLength(2)
        expect(yield* store.of([{ accountId: newId(), id: first }])).toEqual([])
        const changed = draftVisits(accountId, first, {
          opens: { Human: 2, Machine: 3, Unknown: 4 },
          links: { abc: { clicks: { Human: 1, Machine: 2, Unknown: 0 }, firstAt: now, lastAt: now + 5 } }
        })
        yield* store.put([changed])
        expect(yield* store.of([{ accountId, id: first }])).toEqual([changed])
      })
    )

    it.effect("locks the visits of deliveries, each once, empty where there are none", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const refs = yield* inserted(accountId, 2)
        const stored = draftVisits(accountId, refs[0]!.id)
        yield* store.put([stored])
        const locked = yield* run(store.lock([...refs, ...refs]))
        expect(locked.toSorted((a, b) => b.visits.length - a.visits.length)).toEqual([
          stored,
          noVisits(accountId, refs[1]!.id)
        ])
        expect(yield* run(store.lock([]))).toEqual([])
      })
    )

    it.effect("loses no visit of transactions that add to the same deliveries at once", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const refs = yield* inserted(accountId, 5)
        const add = (index: number) =>
          run(
            Effect.gen(function* () {
              const records = yield* store.lock(index % 2 === 0 ? refs : refs.toReversed())
              yield* store.put(
                records.map((record) => ({ ...record, visits: [...record.visits, draftVisit(now + index)] }))
              )
            })
          )
        const exits = yield* atOnce(times(8, add))
        expect(successes(exits)).toHaveLength(8)
        for (const { visits } of yield* store.of(refs)) {
          expect(visits.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual(
            times(8, (index) => now + index)
          )
        }
      })
    )

    it.effect("deletes the visits of deliveries, and restores them when the transaction rolls back", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const [gone, kept] = (yield* inserted(accountId, 2)) as [
          { readonly accountId: string; readonly id: string },
          { readonly accountId: string; readonly id: string }
        ]
        yield* store.put([draftVisits(accountId, gone.id), draftVisits(accountId, kept.id)])
        yield* Effect.exit(run(Effect.andThen(store.erase([gone]), Effect.fail("rejected" as const))))
        expect(yield* store.of([gone])).toHaveLength(1)
        yield* store.erase([gone, { accountId, id: newId() }])
        yield* store.erase([])
        expect(yield* store.of([gone, kept])).toEqual([draftVisits(accountId, kept.id)])
      })
    )

    it.effect(
      "returns the clicks of contacts in emails of flows and campaigns, and erases visits but not their times",
      () =>
        Effect.gen(function* () {
          const store = yield* VisitStore
          const accountId = yield* freshAccountId
          const refs = yield* inserted(accountId, 4)
          const [contactId, other, flowId, campaignId] = [newId(), newId(), newId(), newId()]
          const origin = { contactId, flowId, campaignId: null }
          const records = [
            draftVisits(accountId, refs[0]!.id, { ...origin, readerClicks: [now, now + 5] }),
            draftVisits(accountId, refs[1]!.id, origin),
            draftVisits(accountId, refs[2]!.id, { contactId: other, campaignId, readerClicks: [now + 1] }),
            draftVisits(accountId, refs[3]!.id, { readerClicks: [now + 2] })
          ]
          yield* store.put(records)
          const clicks = { ...origin, deliveryId: refs[0]!.id, clicks: [now, now + 5] }
          expect(yield* store.readerClicks(accountId, [contactId, contactId, newId()])).toEqual([clicks])
          expect(yield* store.readerClicks(accountId, [contactId, other])).toHaveLength(2)
          expect(yield* store.readerClicks(accountId, [other])).toMatchObject([{ flowId: null, campaignId }])
          expect(yield* store.readerClicks(newId(), [contactId])).toEqual([])
          expect(yield* store.readerClicks(accountId, [])).toEqual([])
          const ids = [contactId, other].toSorted() as [string, string]
          expect(yield* store.readers(accountId, null, 10)).toEqual(ids)
          expect(yield* store.readers(accountId, null, 1)).toEqual([ids[0]])
          expect(yield* store.readers(accountId, ids[0], 10)).toEqual([ids[1]])
          expect(yield* store.readers(accountId, ids[1], 10)).toEqual([])
          yield* store.eraseVisits([refs[0]!, refs[0]!, { accountId, id: newId() }])
          yield* store.eraseVisits([])
          expect(yield* store.of([refs[0]!])).toEqual([{ ...records[0], visits: [] }])
          expect(yield* store.readerClicks(accountId, [contactId])).toEqual([clicks])
        })
    )

    it.effect("returns the latest times and the visits of the emails to an address", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const accountId = yield* freshAccountId
        const email = newEmail()
        const submissions = times(3, () => draftSubmission(accountId, {}, { email }))
        yield* (yield* SubmissionStore).insert(accountId, submissions, [])
        yield* store.put(
          submissions.slice(1).map(({ deliveries }, index) =>
            draftVisits(accountId, deliveries[0]!.id, {
              readerOpenedAt: now + index,
              readerClickedAt: null
            })
          )
        )
        const unknown = newEmail()
        const found = yield* store.latest(accountId, [email, email, unknown])
        expect(found.toSorted((a) => (a.email === email ? -1 : 1))).toEqual([
          { email, openedAt: now + 1, clickedAt: null },
          { email: unknown, openedAt: null, clickedAt: null }
        ])
        expect(yield* store.latest(accountId, [])).toEqual([])
        const kept = yield* store.of(
          submissions.slice(1).map(({ deliveries: [one] }) => ({ accountId, id: one!.id }))
        )
        const visits = kept.flatMap((record) => record.visits)
        expect(visits.length).toBeGreaterThan(0)
        expect(new Set(yield* store.visitsTo(accountId, email, 10))).toEqual(new Set(visits))
        expect(yield* store.visitsTo(accountId, unknown, 10)).toEqual([])
      })
    )

    it.effect("prunes visits by age and keeps their counts", () =>
      Effect.gen(function* () {
        const store = yield* VisitStore
        const accountId = yield* freshAccountId
        const refs = yield* inserted(accountId, 3)
        // Long before the visits of other tests, which must be kept.
        const early = 1_000_000
        const [old, mixed, fresh] = refs.map(({ id }, index) =>
          draftVisits(accountId, id, {
            visits:
              index === 1 ? [draftVisit(early + 5), draftVisit(now)] : [draftVisit(index === 0 ? early : now)]
          })
        ) as [DeliveryVisits, DeliveryVisits, DeliveryVisits]
        yield* store.put([old, mixed, fresh])
        expect(yield* store.prune(early, 10)).toBe(0)
        expect(yield* store.prune(early + 10, 1)).toBe(1)
        expect(yield* store.of([refs[0]!])).toEqual([{ ...old, visits: [] }])
        expect(yield* store.of([refs[1]!])).toEqual([mixed])
        expect(yield* store.prune(early + 10, 10)).toBe(1)
        expect(yield* store.of([refs[1]!])).toEqual([{ ...mixed, visits: [draftVisit(now)] }])
        expect(yield* store.of([refs[2]!])).toEqual([fresh])
        expect(yield* store.prune(early + 10, 10)).toBe(0)
      })
    )
  })
}
