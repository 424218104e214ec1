/**
 * The sandbox inbox in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type InboxMessage, InboxStore } from "../../core/ports/InboxStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"

const columns = columnsOf<InboxMessage>(
  {
    id: "uuid",
    accountId: "uuid",
    submissionId: "uuid",
    to: "text",
    fromEmail: "text",
    fromName: "text",
    subject: "text",
    html: "text",
    text: "text",
    receivedAt: "timestamptz"
  },
  { to: "recipient" }
)

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("inbox_messages", columns, { receivedAt: "desc", id: "desc" })
  const names = sql.literal(columns.names)
  const fields = sql.literal(columns.fields)
  const recordset = sql.literal(columns.recordset)

  return InboxStore.of({
    // No JSON carries the raw bytes. Sorted, so that two overlapping batches never wait for each other.
    put: (entries) =>
      execute(sql`
        insert into inbox_messages (${names}, raw) select ${fields}, raw from rows from (
          json_to_recordset(${columns.encode(entries.map((entry) => entry.message))}::json) as (${recordset}),
          unnest(${entries.map((entry) => entry.raw)}::bytea[])
        ) as r(${fields}, raw)
        order by "accountId", id on conflict (account_id, id) do nothing`).pipe(ifAny(entries)),
    list: (accountId, page) => table.page(page, sql`account_id = ${accountId}`),
    get: (accountId, id) =>
      first(table.select(sql`from inbox_messages where account_id = ${accountId} and id = ${id}`)),
    erase: (refs) =>
      execute(sql`
        delete from inbox_messages where ctid = any(array(
          select m.place from ${refRows(sql, refs)} cross join lateral (
            select ctid as place from inbox_messages where account_id = account and id = key limit 1
          ) m
        ))`).pipe(ifAny(refs)),
    raw: (accountId, id) =>
      orUnavailable(sql<{ readonly raw: Uint8Array }>`
        select raw from inbox_messages where account_id = ${accountId} and id = ${id}`).pipe(
        Effect.map(([row]) => row?.raw ?? null)
      )
  })
}).pipe(Layer.effect(InboxStore))
