/**
 * The contract of `core/ports/BulkJobStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { managementActor } from "../../core/model/Actor.ts"
import type { BulkJob, BulkJobRow } from "../../core/model/BulkJob.ts"
import { BulkJobStore } from "../../core/ports/BulkJobStore.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  firstPage,
  freshAccountId,
  listsNewestFirst,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (accountId: string, values: Partial<BulkJob> = {}): BulkJob => ({
  id: newId(),
  accountId,
  kind: "Unsubscribe",
  state: "Queued",
  work: { action: { kind: "Unsubscribe" }, target: { ids: [newId()] } },
  position: null,
  done: 0,
  failed: 0,
  items: null,
  rows: 0,
  createdBy: managementActor,
  createdAt: now,
  finishedAt: null,
  version: 1,
  ...values
})

const rowOf = (place: number, contactId = newId()): BulkJobRow => ({
  place,
  contactId,
  content: `${place}\n`
})

/** Tests of the port `BulkJobStore`. */
export const bulkJobStoreContract = (it: StorageTest): void => {
  describe("BulkJobStore", () => {
    listsNewestFirst(it, "jobs", BulkJobStore, ({ insert, list }) => ({
      draft: (accountId, createdAt) => draft(accountId, { createdAt }),
      timeOf: (job) => job.createdAt,
      insert,
      list: (accountId, page) => list(accountId, {}, page)
    }))

    it.effect("returns jobs as they were added and saved, by kind and state", () =>
      Effect.gen(function* () {
        const store = yield* BulkJobStore
        const accountId = yield* freshAccountId
        const queued = draft(accountId, { work: { [oddText]: [oddText, 1, null] } })
        const done = draft(accountId, {
          kind: "Export",
          state: "Done",
          work: null,
          position: [now, newId()],
          done: 3,
          failed: 2,
          items: 5,
          rows: 3,
          finishedAt: now + 1,
          createdAt: now + 1
        })
        yield* store.insert(queued)
        yield* store.insert(done)
        expect(yield* store.get(accountId, queued.id)).toEqual(queued)
        expect(yield* store.get(accountId, done.id)).toEqual(done)
        expect(yield* store.get(yield* freshAccountId, done.id)).toBeNull()
        const listed = (filter: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(accountId, filter, firstPage), ({ items }) => items.map(({ id }) => id))
        expect(yield* listed({})).toEqual([done.id, queued.id])
        expect(yield* listed({ kind: ["Export"] })).toEqual([done.id])
        expect(yield* listed({ state: ["Queued", "Running"] })).toEqual([queued.id])
        expect(yield* listed({ state: ["Queued", "Done"], kind: ["Export", "Erase"] })).toEqual([done.id])
        expect(yield* listed({ state: ["Failed"] })).toEqual([])
        const saved: BulkJob = {
          ...queued,
          state: "Running",
          work: { next: true },
          position: [now, queued.id],
          done: 1,
          failed: 1,
          items: 4,
          rows: 1,
          version: 2
        }
        yield* store.save(saved)
        expect(yield* store.get(accountId, queued.id)).toEqual(saved)
      })
    )

    it.effect("saves one of many concurrent changes, at the version it was decided on", () =>
      Effect.gen(function* () {
        const store = yield* BulkJobStore
        const accountId = yield* freshAccountId
        const first = draft(accountId)
        yield* store.insert(first)
        const exits = yield* atOnce(times(6, (done) => store.save({ ...first, done, version: 2 })))
        expect(successes(exits)).toHaveLength(1)
        expectOnlyFailures(exits, "WriteConflict")
        const error = yield* expectFailure(store.save({ ...first, version: 2 }), "WriteConflict")
        expect(error).toMatchObject({ constraint: "bulk_jobs_version" })
      })
    )

    it.effect("stores the rows of reports, and erases those of contacts in all reports of the account", () =>
      Effect.gen(function* () {
        const store = yield* BulkJobStore
        const accountId = yield* freshAccountId
        const otherAccount = yield* freshAccountId
        const [id, other, person] = [newId(), newId(), newId()]
        const rows = [rowOf(1), rowOf(2, person), { ...rowOf(3), content: oddText }]
        yield* store.addRows(accountId, id, rows.slice(0, 2))
        yield* store.addRows(accountId, id, rows.slice(2))
        yield* store.addRows(accountId, id, [])
        yield* store.addRows(accountId, other, [rowOf(1, person)])
        yield* store.addRows(otherAccount, id, [rowOf(1, person)])
        expect(yield* store.rows(accountId, id, 0, 10)).toEqual(rows)
        expect(yield* store.rows(accountId, id, 1, 1)).toEqual([rows[1]])
        yield* store.eraseRows(accountId, [person, newId()])
        yield* store.eraseRows(accountId, [])
        expect(yield* store.rows(accountId, id, 0, 10)).toEqual([rows[0], rows[2]])
        expect(yield* store.rows(accountId, other, 0, 10)).toEqual([])
        expect(yield* store.rows(otherAccount, id, 0, 10)).toHaveLength(1)
        yield* store.removeRows(accountId, id)
        expect(yield* store.rows(accountId, id, 0, 10)).toEqual([])
        expect(yield* store.rows(otherAccount, id, 0, 10)).toHaveLength(1)
      })
    )
  })
}
