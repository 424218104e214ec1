/**
 * Stores jobs on many contacts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { BulkJob, BulkJobRow } from "../../core/model/BulkJob.ts"
import { BulkJobStore } from "../../core/ports/BulkJobStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { isAmong, pageOfAll, placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

interface KeptRow {
  readonly jobId: string
  readonly row: BulkJobRow
}

const keyOf = ({ jobId, row }: KeptRow): string => `${jobId} ${row.place}`
const byPlace = (a: KeptRow, b: KeptRow): number => a.row.place - b.row.place

const makeJobs = (database: Database["Service"]) => {
  const order = new SortedIndex<BulkJob>(() => all, byField("createdAt"))
  const report = new SortedIndex<KeptRow>(({ jobId }) => jobId, byPlace)
  const ofContact = new SortedIndex<KeptRow>(({ row }) => row.contactId, byPlace)
  return {
    jobs: new Table<BulkJob>(database, { key: ({ id }) => id, indexes: [order] }),
    rows: new Table<KeptRow>(database, { key: keyOf, indexes: [report, ofContact] }),
    order,
    report,
    ofContact
  }
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const jobsOf = perAccount(() => makeJobs(database))

  return BulkJobStore.of({
    insert: (added) =>
      Effect.asVoid(database.write(() => jobsOf(added.accountId).jobs.insert(frozen(added)))),
    get: (accountId, id) => database.read(() => jobsOf(accountId).jobs.get(id) ?? null),
    list: (accountId, { kind, state }, page) =>
      database.read(() =>
        pageOfAll(
          jobsOf(accountId)
            .order.rows(all)
            .filter((job) => isAmong(kind, job.kind) && isAmong(state, job.state)),
          page,
          placeBy("createdAt")
        )
      ),
    save: (changed) =>
      database.writeOrConflict(() => {
        const { jobs } = jobsOf(changed.accountId)
        if (jobs.get(changed.id)?.version !== changed.version - 1) {
          throw new WriteConflict({ constraint: "bulk_jobs_version" })
        }
        jobs.replace(frozen(changed))
      }),
    addRows: (accountId, id, added) =>
      database.write(() => {
        const { rows } = jobsOf(accountId)
        for (const row of added) rows.insert({ jobId: id, row: frozen(row) })
      }),
    rows: (accountId, id, after, limit) =>
      database.read(() =>
        jobsOf(accountId)
          .report.rows(id)
          .map(({ row }) => row)
          .filter(({ place }) => place > after)
          .slice(0, limit)
      ),
    removeRows: (accountId, id) =>
      database.write(() => {
        const { report, rows } = jobsOf(accountId)
        rows.removeMany(report.rows(id).map(keyOf))
      }),
    eraseRows: (accountId, contactIds) =>
      database.write(() => {
        const { ofContact, rows } = jobsOf(accountId)
        rows.removeMany(contactIds.flatMap((id) => ofContact.rows(id).map(keyOf)))
      })
  })
}).pipe(Layer.effect(BulkJobStore))
