/**
 * Stores the sandbox inbox in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type InboxEntry,
  type InboxRendering,
  InboxStore,
  type StoredContent
} from "../../core/ports/InboxStore.ts"
import { mapPage } from "../../core/shared/Page.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first, ifAny } from "./sql/results.ts"
import { refRows, tableOf } from "./sql/tables.ts"

/** A row. It has a rendering, or the content that an earlier version stored. */
interface Row extends Omit<InboxEntry, "content">, Omit<StoredContent, "subject"> {
  readonly subject: string | null
  readonly rendering: InboxRendering | null
}

const columns = columnsOf<Row>(
  {
    id: "uuid",
    accountId: "uuid",
    submissionId: "uuid",
    to: "text",
    fromEmail: "text",
    fromName: "text",
    receivedAt: "timestamptz",
    rendering: "jsonb",
    subject: "text",
    html: "text",
    text: "text"
  },
  { to: "recipient" }
)

const entryOf = ({ html, rendering, subject, text, ...entry }: Row): InboxEntry => ({
  ...entry,
  content:
    rendering === null
      ? { _tag: "Stored", subject: subject ?? "", html, text }
      : { _tag: "OfSubmission", ...rendering }
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("inbox_messages", columns, ["receivedAt", "id"])

  return InboxStore.of({
    // Sorted, so that two overlapping batches cannot deadlock.
    put: (entries) =>
      table.insertMany(
        entries.map((entry): Row => ({ ...entry, subject: null, html: null, text: null })),
        `order by "accountId", id on conflict (account_id, id) do nothing`
      ),
    list: (accountId, page) =>
      Effect.map(table.page(page, sql`account_id = ${accountId}`), (found) => mapPage(found, entryOf)),
    get: (accountId, id) =>
      Effect.map(
        first(table.select(sql`from inbox_messages where account_id = ${accountId} and id = ${id}`)),
        (row) => (row === null ? null : entryOf(row))
      ),
    erase: (refs) =>
      execute(sql`
        delete from inbox_messages where ctid = any(array(
          select m.place from ${refRows(sql, refs)} cross join lateral (
            select ctid as place from inbox_messages where account_id = account and id = key limit 1
          ) m
        ))`).pipe(ifAny(refs)),
    raw: (accountId, id) =>
      orUnavailable(sql<{ readonly raw: Uint8Array | null }>`
        select raw from inbox_messages where account_id = ${accountId} and id = ${id}`).pipe(
        Effect.map(([row]) => row?.raw ?? null)
      )
  })
}).pipe(Layer.effect(InboxStore))
