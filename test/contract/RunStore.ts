/**
 * The contract of `core/ports/RunStore`, and of the data about runs that `SubmissionStore` holds.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Run } from "../../core/model/Run.ts"
import type { StepCount } from "../../core/model/StepCount.ts"
import { type RunFilter, RunStore } from "../../core/ports/RunStore.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { draftClaim, draftMove, draftRun as draft, draftSubmission } from "./drafts.ts"
import {
  atOnce,
  byId,
  firstPage,
  freshAccountId,
  newId,
  now,
  oddText,
  readOn,
  readPages,
  successes,
  type StorageTest,
  times
} from "./fixtures.ts"

/** Tests of the port `RunStore`. */
export const runStoreContract = (it: StorageTest): void => {
  describe("RunStore", () => {
    it.effect("returns runs as they were added and saved, to their account only", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const runs = times(3, () => draft(accountId))
        const ids = runs.map(({ id }) => id)
        expect([...(yield* store.insert(accountId, runs))].toSorted()).toEqual(ids.toSorted())
        expect(byId(yield* store.lock(accountId, [...ids, ids[0]!, newId()]))).toEqual(byId(runs))
        expect(yield* store.lock(other, ids)).toEqual([])
        expect(yield* store.lock(accountId, [])).toEqual([])
        const asleep: Run = {
          ...runs[0]!,
          stepId: "w",
          isWaiting: true,
          dueAt: now + 5,
          pending: [{ name: "b", occurredAt: now, properties: { odd: oddText } }],
          log: [{ stepId: "x", at: now, outcome: oddText }]
        }
        const ended: Run = {
          ...runs[1]!,
          status: "Stopped",
          stepId: null,
          dueAt: null,
          endedAt: now + 7,
          reason: "event: b"
        }
        yield* store.save(accountId, [asleep, ended])
        expect(byId(yield* store.lock(accountId, ids))).toEqual(byId([asleep, ended, runs[2]!]))
        yield* store.appendLog(accountId, asleep.id, { stepId: "x", at: now + 1, outcome: "answered" })
        yield* store.appendLog(accountId, newId(), { stepId: "x", at: now, outcome: "answered" })
        const [noted] = yield* store.lock(accountId, [asleep.id])
        expect(noted!.log).toEqual([...asleep.log, { stepId: "x", at: now + 1, outcome: "answered" }])
        yield* store.save(accountId, [])
        expect(yield* store.insert(accountId, [])).toEqual([])
      })
    )

    it.effect("has one active run of a flow for a contact, also concurrently", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const transaction = yield* Transaction
        const accountId = yield* freshAccountId
        const [flowId, contactId] = [newId(), newId()]
        const rivals = times(10, () => draft(accountId, { flowId, contactId }))
        const added = yield* atOnce(
          rivals.map((run) => transaction.run(store.insert(accountId, [run, draft(accountId, { flowId })])))
        )
        const won = successes(added)
          .flat()
          .filter((id) => rivals.some((run) => run.id === id))
        expect(won).toHaveLength(1)
        const active = yield* store.lockActive(accountId, [contactId, contactId])
        expect(active.map(({ id }) => id)).toEqual(won)
        yield* store.save(accountId, [{ ...active[0]!, status: "Completed", dueAt: null, endedAt: now }])
        expect(yield* store.lockActive(accountId, [contactId])).toEqual([])
        const twice = times(2, () => draft(accountId, { flowId, contactId }))
        expect(yield* store.insert(accountId, twice)).toHaveLength(1)
        const elsewhere = draft(accountId, { contactId })
        expect(yield* store.insert(accountId, [elsewhere])).toEqual([elsewhere.id])
        expect(yield* store.lockActive(accountId, [contactId])).toHaveLength(2)
      })
    )

    it.effect("lists active runs with their times, page by page", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const accountId = yield* freshAccountId
        const contactId = newId()
        const active = [
          draft(accountId, { contactId }),
          ...times(3, () => draft(accountId, { dueAt: now + 5 }))
        ]
        active.push(draft(accountId, { contactId }))
        yield* store.insert(accountId, [...active, draft(accountId, { status: "Completed", endedAt: now })])
        const first = yield* store.active(accountId, null, 3)
        const rest = yield* store.active(accountId, first[2]!, 3)
        const listed = active.map(({ contactId: of, dueAt, flowId, id }) => ({
          id,
          contactId: of,
          flowId,
          dueAt
        }))
        expect([first.length, rest.length]).toEqual([3, 2])
        expect(byId([...first, ...rest])).toEqual(byId(listed))
        expect(yield* store.active(accountId, rest[1]!, 3)).toEqual([])
        expect(yield* store.active(yield* freshAccountId, null, 3)).toEqual([])
      })
    )

    it.effect("locks runs, so that no decision is made on old ones", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const transaction = yield* Transaction
        const accountId = yield* freshAccountId
        const run = draft(accountId)
        yield* store.insert(accountId, [run])
        const addLine = (index: number) =>
          transaction.run(
            Effect.gen(function* () {
              const [held] = yield* index % 2 === 0
                ? store.lock(accountId, [run.id])
                : store.lockActive(accountId, [run.contactId])
              yield* Effect.yieldNow
              const log = [...held!.log, { stepId: `s${index}`, at: now, outcome: "x" }]
              yield* store.save(accountId, [{ ...held!, log }])
            })
          )
        expect(successes(yield* atOnce(times(10, addLine)))).toHaveLength(10)
        expect((yield* store.lock(accountId, [run.id]))[0]!.log).toHaveLength(10)
      })
    )

    it.effect("lists a flow's runs, of any status or of one, newest first", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const accountId = yield* freshAccountId
        const flowId = newId()
        const runs = times(5, (index) =>
          draft(accountId, {
            flowId,
            startedAt: now + (index % 2),
            ...(index < 2 ? {} : { status: "Completed", dueAt: null, endedAt: now })
          })
        )
        yield* store.insert(accountId, [...runs, draft(accountId)])
        const newest = runs.toSorted((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
        expect(yield* readPages((page) => store.list(accountId, flowId, {}, page), 2)).toEqual(newest)
        expect((yield* store.list(accountId, flowId, { status: ["Completed"] }, firstPage)).items).toEqual(
          newest.filter((run) => run.status === "Completed")
        )
        const byFilter = (filter: RunFilter) =>
          readOn((page) => store.list(accountId, flowId, filter, page), 2)
        const [{ contactId }] = runs as [Run]
        expect(yield* byFilter({ contactId: [contactId] })).toEqual([runs[0]])
        const others = [0, 1].map((at) => ({
          ...runs[0]!,
          id: newId(),
          flowId: newId(),
          startedAt: now + 5 + at
        }))
        yield* store.insert(accountId, others)
        const ofContact = yield* readPages((page) => store.ofContact(accountId, contactId, page), 2)
        expect(ofContact).toEqual([...others.toReversed(), runs[0]])
        expect(yield* store.ofContact(yield* freshAccountId, contactId, firstPage)).toMatchObject({
          items: []
        })
        expect(yield* byFilter({ status: ["Active", "Completed"], since: now + 1 })).toEqual(
          newest.filter((run) => run.startedAt > now)
        )
        expect(yield* byFilter({ version: [runs[0]!.version, 99], until: now + 1 })).toEqual(
          newest.filter((run) => run.startedAt === now)
        )
        expect(yield* byFilter({ version: [99] })).toEqual([])
        expect(yield* byFilter({ id: [runs[0]!.id, newId()] })).toEqual([runs[0]])
        expect(yield* byFilter({ step: ["nowhere"], status: ["Active"] })).toEqual([])
        expect(yield* store.list(accountId, newId(), {}, firstPage)).toMatchObject({
          items: [],
          totalCount: 0
        })
      })
    )

    it.effect(
      "counts what runs do at steps, also concurrently, and their versions while they are active",
      () =>
        Effect.gen(function* () {
          const store = yield* RunStore
          const transaction = yield* Transaction
          const accountId = yield* freshAccountId
          const [flowId, other] = [newId(), newId()]
          const change = (outcome: string, count: number, of = flowId, stepId = "a") => ({
            flowId: of,
            stepId,
            outcome,
            count
          })
          const changes = [change("waiting", 1), change("skipped: x", 2), change("passed", 1, other)]
          expect(
            successes(yield* atOnce(times(8, () => transaction.run(store.countSteps(accountId, changes)))))
          ).toHaveLength(8)
          yield* store.countSteps(accountId, [
            change("waiting", -8),
            change("passed", 8),
            change("failed", -1)
          ])
          yield* store.countSteps(accountId, [])
          const sorted = (counts: ReadonlyArray<StepCount>) =>
            counts.toSorted((one, two) => (one.outcome < two.outcome ? -1 : 1))
          expect(sorted(yield* store.stepCounts(accountId, flowId))).toEqual([
            change("passed", 8),
            change("skipped: x", 16)
          ])
          expect(yield* store.stepCounts(accountId, other)).toEqual([change("passed", 8, other)])
          expect(yield* store.stepCounts(yield* freshAccountId, flowId)).toEqual([])
          yield* store.insert(accountId, [
            draft(accountId, { flowId, version: 2 }),
            draft(accountId, { flowId, version: 2 }),
            draft(accountId, { flowId, version: 1 }),
            draft(accountId, { flowId, version: 3, status: "Completed", dueAt: null, endedAt: now })
          ])
          const active = yield* store.activeByVersion(accountId, flowId)
          expect(active.toSorted((one, two) => one.version - two.version)).toEqual([
            { version: 1, active: 1 },
            { version: 2, active: 2 }
          ])
        })
    )

    it.effect("prunes runs that ended before a time, a bounded number at once, the oldest first", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const accountId = yield* freshAccountId
        expect(yield* store.oldest(accountId)).toBeNull()
        const active = draft(accountId, { startedAt: now - 100 })
        yield* store.insert(accountId, [active])
        expect(yield* store.oldest(accountId)).toEqual({ endedAt: null })
        const ended = times(5, (index) =>
          draft(accountId, { status: "Stopped", dueAt: null, endedAt: now + index, startedAt: now - index })
        )
        const elsewhere = yield* freshAccountId
        const other = draft(elsewhere, { status: "Completed", dueAt: null, endedAt: now })
        yield* store.insert(accountId, ended)
        yield* store.insert(elsewhere, [other])
        expect(yield* store.oldest(accountId)).toEqual({ endedAt: now })
        expect(yield* store.prune(accountId, now, 10)).toBe(0)
        expect(yield* store.prune(accountId, now + 3, 2)).toBe(2)
        expect(yield* store.oldest(accountId)).toEqual({ endedAt: now + 2 })
        expect(yield* store.prune(accountId, now + 3, 2)).toBe(1)
        expect(yield* store.prune(accountId, now + 3, 2)).toBe(0)
        const all = [active, ...ended]
        const left = yield* store.lock(
          accountId,
          all.map(({ id }) => id)
        )
        expect(byId(left)).toEqual(byId([active, ...ended.slice(3)]))
        expect(yield* store.lock(elsewhere, [other.id])).toEqual([other])
      })
    )

    it.effect("erases the runs of contacts and returns them", () =>
      Effect.gen(function* () {
        const store = yield* RunStore
        const accountId = yield* freshAccountId
        const people = [newId(), newId()]
        const runs = times(4, (index) => draft(accountId, { contactId: people[index % 2]! }))
        const other = draft(accountId)
        yield* store.insert(accountId, [...runs, other])
        expect(yield* store.erase(yield* freshAccountId, people)).toEqual([])
        expect(yield* store.erase(accountId, [])).toEqual([])
        expect(byId(yield* store.erase(accountId, [...people, newId(), people[0]!]))).toEqual(byId(runs))
        expect(yield* store.erase(accountId, people)).toEqual([])
        expect(
          yield* store.lock(
            accountId,
            [...runs, other].map(({ id }) => id)
          )
        ).toEqual([other])
      })
    )
  })

  describe("SubmissionStore and runs", () => {
    it.effect("finds emails by their flow, and those of runs that are not transmitted yet", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const accountId = yield* freshAccountId
        const [flowId, runId] = [newId(), newId()]
        const origin = { flowId, runId, marketing: { contactId: newId(), topicId: null } }
        const statuses = [
          "Queued",
          "PendingReview",
          "HandingOff",
          "HandingOff",
          "Failed",
          "Delivered"
        ] as const
        const submissions = statuses.map((status) => draftSubmission(accountId, origin, { status }))
        const others = [
          draftSubmission(accountId),
          draftSubmission(accountId, { ...origin, runId: newId(), marketing: null })
        ]
        yield* store.insert(accountId, [...submissions, ...others], [])
        const committed = submissions[3]!.deliveries[0]!
        yield* store.commit([draftClaim(committed, 0)], now)
        const unsent = yield* store.lockUnsent(accountId, [runId, runId])
        expect(unsent.map(({ id }) => id).toSorted()).toEqual(
          submissions
            .slice(0, 3)
            .map(({ id }) => id)
            .toSorted()
        )
        expect(yield* store.lockUnsent(yield* freshAccountId, [runId])).toEqual([])
        const filter = { flowId: [flowId] }
        expect((yield* store.list(accountId, filter, firstPage)).totalCount).toBe(7)
        const queued = yield* store.list(accountId, { ...filter, status: ["Queued"] }, firstPage)
        expect(queued.items.map(({ id }) => id).toSorted()).toEqual(
          [submissions[0]!.id, others[1]!.id].toSorted()
        )
        const [found] = yield* store.find(accountId, [submissions[0]!.id])
        expect(found).toMatchObject(origin)
        const asked = [submissions[0]!.id, others[0]!.id, submissions[0]!.id, newId()]
        expect(yield* store.flowsOf(accountId, asked)).toEqual([{ id: submissions[0]!.id, flowId, runId }])
        expect(yield* store.flowsOf(yield* freshAccountId, asked)).toEqual([])
      })
    )

    it.effect("does not commit a cancelled delivery", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const transaction = yield* Transaction
        const accountId = yield* freshAccountId
        const runId = newId()
        const origin = { flowId: newId(), runId }
        const rounds = times(10, () =>
          draftSubmission(accountId, origin, { status: "HandingOff", claims: 1 })
        )
        yield* store.insert(accountId, rounds, [])
        for (const { deliveries } of rounds) {
          const [delivery] = deliveries
          const claim = draftClaim(delivery!, 1)
          const takeBack = transaction.run(
            Effect.gen(function* () {
              const unsent = (yield* store.lockUnsent(accountId, [runId])).filter(
                ({ id }) => id === delivery!.id
              )
              return yield* store.move(unsent.map((one) => draftMove(one, "Queued")))
            })
          )
          const [taken, granted] = (yield* Effect.all([takeBack, store.commit([claim], now)], {
            concurrency: "unbounded"
          })) as [ReadonlyArray<unknown>, ReadonlyArray<unknown>]
          expect(taken.length + granted.length).toBe(1)
        }
      })
    )
  })
}
