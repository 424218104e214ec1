/**
 * Stores jobs on many contacts in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { BulkJob, BulkJobRow } from "../../core/model/BulkJob.ts"
import { BulkJobStore } from "../../core/ports/BulkJobStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<BulkJob>({
  id: "uuid",
  accountId: "uuid",
  kind: "text",
  state: "text",
  work: "jsonb",
  position: "jsonb",
  done: "integer",
  failed: "integer",
  items: "integer",
  rows: "integer",
  createdBy: "jsonb",
  createdAt: "timestamptz",
  finishedAt: "timestamptz",
  version: "integer"
})

const rowColumns = columnsOf<BulkJobRow>({ place: "integer", contactId: "uuid", content: "text" })

/** The fields that change while a job runs. */
const changing = [
  "state",
  "work",
  "position",
  "done",
  "failed",
  "items",
  "rows",
  "finishedAt",
  "version"
] as const

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const jobs = yield* tableOf("bulk_jobs", columns)
  const reports = yield* tableOf("bulk_job_rows", rowColumns)
  const names = sql.literal(rowColumns.names)
  const fields = sql.literal(rowColumns.fields)
  const recordset = sql.literal(`r(${rowColumns.recordset})`)

  return BulkJobStore.of({
    insert: (added) => jobs.insertMany([added]),
    get: (accountId, id) =>
      first(jobs.select(sql`from bulk_jobs where account_id = ${accountId} and id = ${id}`)),
    list: (accountId, { kind, state }, page) =>
      jobs.page(page, sql`account_id = ${accountId}`, [
        { column: "state", type: "text", values: state },
        { column: "kind", type: "text", values: kind }
      ]),
    save: (changed) =>
      Effect.flatMap(
        jobs.update(changed, changing, ["accountId", "id"], sql`version = ${changed.version}::int - 1`),
        (isSaved) =>
          isSaved ? Effect.void : Effect.fail(new WriteConflict({ constraint: "bulk_jobs_version" }))
      ),
    addRows: (accountId, id, rows) =>
      execute(sql`
        insert into bulk_job_rows (account_id, job_id, ${names})
        select ${accountId}::uuid, ${id}::uuid, ${fields}
        from json_to_recordset(${rowColumns.encode(rows)}::json) as ${recordset}`).pipe(ifAny(rows)),
    rows: (accountId, id, after, limit) =>
      reports.select(sql`
        from bulk_job_rows where account_id = ${accountId} and job_id = ${id} and place > ${after}
        order by place limit ${limit}`),
    removeRows: (accountId, id) =>
      execute(sql`delete from bulk_job_rows where account_id = ${accountId} and job_id = ${id}`),
    eraseRows: (accountId, contactIds) =>
      execute(sql`
        delete from bulk_job_rows
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(ifAny(contactIds))
  })
}).pipe(Layer.effect(BulkJobStore))
