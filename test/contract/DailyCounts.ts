/**
 * The contract of `countByDay`, a method of several ports: a day is counted from its first to its last millisecond.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { runStatuses } from "../../core/model/Run.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { EventStore } from "../../core/ports/EventStore.ts"
import { RunStore } from "../../core/ports/RunStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { VisitStore } from "../../core/ports/VisitStore.ts"
import { type DeliveryStatus, deliveryStatuses } from "../../core/model/DeliveryStatus.ts"
import { firstIdAt } from "../../core/shared/Uuid.ts"
import { type UtcDay, utcDaysUntil } from "../../core/shared/UtcDays.ts"
import { draftDelivery, draftEvent, draftRun, draftSubmission, draftToMany } from "./drafts.ts"
import { draftVisits } from "./VisitStore.ts"
import { changes, draftContact, freshAccountId, newId, now, type StorageTest, times } from "./fixtures.ts"

/** Four days. The last but one has no rows. */
const days = utcDaysUntil(now, 4)
const [today, yesterday, , first] = days as [UtcDay, UtcDay, UtcDay, UtcDay]

/** Timestamps in and around the days: 3 today, 2 yesterday, 1 on the first day. */
const timestamps = [
  today.to,
  today.to - 1,
  now,
  today.from,
  yesterday.to - 1,
  yesterday.from,
  first.from,
  first.from - 1
]
const expected = [3, 2, 0, 1]

const nothing = <Status extends string>(statuses: ReadonlyArray<Status>) =>
  Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>

const noStatus = nothing(deliveryStatuses)
const noRun = nothing(runStatuses)

/** Tests `countByDay` of the ports. */
export const dailyCountsContract = (it: StorageTest): void => {
  describe("daily counts", () => {
    it.effect("are zeroes for an empty account, and none for no days", () =>
      Effect.gen(function* () {
        const accountId = yield* freshAccountId
        const [submissions, events] = [yield* SubmissionStore, yield* EventStore]
        const [contacts, runs] = [yield* ContactStore, yield* RunStore]
        const noDelivery = { statuses: noStatus, softBounced: 0 }
        const noVisit = {
          opened: 0,
          clicked: 0,
          openedUnknown: 0,
          clickedUnknown: 0,
          openedByMachines: 0,
          clickedByMachines: 0
        }
        const visits = yield* VisitStore
        expect(yield* visits.countByDay(accountId, days)).toEqual(days.map(() => noVisit))
        expect(yield* visits.countByDay(accountId, [])).toEqual([])
        expect(yield* visits.countOfFlow(accountId, newId())).toEqual(noVisit)
        expect(yield* submissions.countByDay(accountId, days)).toEqual(days.map(() => noDelivery))
        expect(yield* runs.countByDay(accountId, days)).toEqual(days.map(() => noRun))
        for (const store of [events, contacts]) {
          expect(yield* store.countByDay(accountId, days)).toEqual([0, 0, 0, 0])
          expect(yield* store.countByDay(accountId, [])).toEqual([])
        }
        expect(yield* submissions.countByDay(accountId, [])).toEqual([])
        expect(yield* runs.countByDay(accountId, [])).toEqual([])
      })
    )

    it.effect("count deliveries by the day they were accepted and their current state", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const made = timestamps.map((createdAt) => draftSubmission(accountId, { createdAt }))
        const later = { updatedAt: today.to + 1 }
        const mixed = draftToMany(
          accountId,
          [
            ...deliveryStatuses.map((status) => ({ status, ...later })),
            { status: "Bounced", ...later, email: "" },
            { status: "Failed", reason: "sending.mailbox_full", ...later }
          ],
          { createdAt: yesterday.from }
        )
        yield* store.insert(accountId, [...made, mixed], [])
        yield* store.insert(other, [draftSubmission(other)], [])
        const counted = yield* store.countByDay(accountId, days)
        const one = Object.fromEntries(deliveryStatuses.map((status) => [status, 1]))
        expect(counted.map(({ statuses }) => statuses)).toEqual([
          { ...noStatus, Queued: 3 },
          { ...one, Queued: 3, Bounced: 2, Failed: 2 },
          noStatus,
          { ...noStatus, Queued: 1 }
        ])
        expect(counted.map(({ softBounced }) => softBounced)).toEqual([0, 1, 0, 0])
        const [delivery] = made[1]!.deliveries
        const move = { accountId, id: delivery!.id, reason: null, attempts: 1, claim: null }
        const go = (from: DeliveryStatus, to: DeliveryStatus) =>
          store.move([{ ...move, from, to, at: today.to + 5 }])
        yield* go("Queued", "HandingOff")
        yield* go("HandingOff", "Delivered")
        const [after] = yield* store.countByDay(accountId, [today])
        expect(after!.statuses).toEqual({ ...noStatus, Queued: 2, Delivered: 1 })
      })
    )

    it.effect("count opens and clicks by the day of the first, those of machines alone beside", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const visits = yield* VisitStore
        const accountId = yield* freshAccountId
        const flowId = newId()
        const made = timestamps.map(() => draftSubmission(accountId, { createdAt: first.from - 10 }))
        yield* store.insert(accountId, made, [])
        yield* visits.put(
          timestamps.map((at, index) =>
            draftVisits(accountId, made[index]!.deliveries[0]!.id, {
              flowId: index < 4 ? flowId : null,
              firstOpenedAt: first.from - 5,
              readerOpenedAt: at,
              firstClickedAt: index % 2 === 1 ? at : null,
              readerClickedAt: index === 5 ? at : null
            })
          )
        )
        const counted = yield* visits.countByDay(accountId, days)
        expect(counted.map(({ opened }) => opened)).toEqual(expected)
        expect(counted.map(({ clicked }) => clicked)).toEqual([0, 1, 0, 0])
        expect(counted.map(({ clickedByMachines }) => clickedByMachines)).toEqual([2, 0, 0, 0])
        expect(counted.every(({ openedByMachines }) => openedByMachines === 0)).toBe(true)
        expect(yield* visits.countOfFlow(accountId, flowId)).toEqual({
          opened: 4,
          clicked: 0,
          openedUnknown: 0,
          clickedUnknown: 0,
          openedByMachines: 0,
          clickedByMachines: 2
        })
      })
    )

    it.effect("count beside the opens and clicks of people those that may be a program's", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const visits = yield* VisitStore
        const accountId = yield* freshAccountId
        const flowId = newId()
        const none = { Human: 0, Machine: 2, Unknown: 0 }
        const [human, unknown] = [
          { ...none, Human: 1, Unknown: 1 },
          { ...none, Unknown: 3 }
        ]
        const at = today.from
        const seen = { firstOpenedAt: at, firstClickedAt: at, readerOpenedAt: at, readerClickedAt: at }
        const given = [
          { ...seen, opens: human, clicks: human },
          { ...seen, opens: human, clicks: unknown },
          { ...seen, opens: unknown, clicks: unknown },
          // An open that is only known from the click.
          { ...seen, opens: none, clicks: unknown },
          { ...seen, opens: unknown, clicks: none, readerClickedAt: null },
          // A visit from before visits were classified.
          { ...seen, opens: none, clicks: none }
        ]
        const made = given.map(() => draftSubmission(accountId, { createdAt: today.from }))
        yield* store.insert(accountId, made, [])
        yield* visits.put(
          given.map((one, index) =>
            draftVisits(accountId, made[index]!.deliveries[0]!.id, { flowId, ...one })
          )
        )
        const expectedCounts = {
          opened: 3,
          clicked: 2,
          openedUnknown: 3,
          clickedUnknown: 3,
          openedByMachines: 0,
          clickedByMachines: 1
        }
        expect(yield* visits.countByDay(accountId, [today])).toEqual([expectedCounts])
        expect(yield* visits.countOfFlow(accountId, flowId)).toEqual(expectedCounts)
      })
    )

    it.effect("keep deliveries after retention, and not after the erasure of a person", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const submission = draftSubmission(accountId, {}, { status: "Delivered", openedAt: now })
        const gone = draftSubmission(accountId)
        const erased = { ...gone, deliveries: [draftDelivery(accountId, gone.id, { openedAt: now })] }
        yield* store.insert(accountId, [submission, erased], [])
        yield* store.eraseContent(accountId, now + 1, 10, now)
        yield* store.eraseRecipients(accountId, now + 1, 10)
        yield* store.erase(accountId, [erased.deliveries[0]!.email])
        expect(yield* store.countByDay(accountId, [today])).toEqual([
          { statuses: { ...noStatus, Delivered: 1 }, softBounced: 0 }
        ])
      })
    )

    it.effect("count events by their ids, whatever their state", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        // The lowest and the highest id of a timestamp.
        const ends = (time: number, index: number) =>
          index % 2 === 0 ? firstIdAt(time) : firstIdAt(time).replace("-0000-0000-", "-7fff-bfff-")
        const events = timestamps.map((time, index) =>
          draftEvent({ id: ends(time, index), occurredAt: now - 1000 })
        )
        yield* store.insert(accountId, events)
        yield* store.insert(other, [draftEvent({ id: firstIdAt(now) })])
        yield* store.complete(accountId, [
          { id: events[1]!.id, failure: "common.internal" },
          { id: events[4]!.id, failure: null }
        ])
        expect(yield* store.countByDay(accountId, days)).toEqual(expected)
      })
    )

    it.effect("count contacts by the day they were added, without erased ones", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const inserts = timestamps.map((addedAt) => draftContact({ addedAt }))
        const erased = draftContact({ addedAt: now, email: null, erasedAt: now })
        yield* store.write(accountId, changes({ inserts: [...inserts, erased] }))
        yield* store.write(other, changes({ inserts: [draftContact({ addedAt: now })] }))
        expect(yield* store.countByDay(accountId, days)).toEqual(expected)
      })
    )

    it.effect("count runs by the day they started and their current state, over all flows", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const started = timestamps.map((startedAt) => draftRun(accountId, { startedAt }))
        const flowId = newId()
        const ended = runStatuses.flatMap((status, index) =>
          times(index + 1, () =>
            draftRun(accountId, { flowId, status, startedAt: yesterday.from, endedAt: today.to + 1 })
          )
        )
        yield* store.insert(accountId, [...started, ...ended])
        yield* store.insert(other, [draftRun(other)])
        const expectedRuns = [
          { ...noRun, Active: 3 },
          { Active: 3, Completed: 2, Stopped: 3, Failed: 4 },
          noRun,
          { ...noRun, Active: 1 }
        ]
        expect(yield* store.countByDay(accountId, days)).toEqual(expectedRuns)
        expect(yield* store.countByDay(accountId, days.toReversed())).toEqual(expectedRuns.toReversed())
        yield* store.save(accountId, [{ ...started[2]!, status: "Completed", endedAt: today.to + 1 }])
        expect(yield* store.countByDay(accountId, [today])).toEqual([{ ...noRun, Active: 2, Completed: 1 }])
      })
    )
  })
}
