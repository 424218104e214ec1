/**
 * Stores the request log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { defaultSettings } from "../../core/model/Account.ts"
import type { RequestEntry } from "../../core/model/RequestEntry.ts"
import { RequestLog } from "../../core/ports/RequestLog.ts"
import { Statistics } from "./engine/Statistics.ts"
import { arrayOf, columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const types = {
  id: "uuid",
  accountId: "uuid",
  requestId: "text",
  keyId: "uuid",
  method: "text",
  route: "text",
  status: "int",
  code: "text",
  durationMillis: "int",
  warnings: "text[]",
  requestBody: "text",
  responseBody: "text",
  at: "timestamptz"
}

const columns = columnsOf<RequestEntry>(types)

/** An entry as it is written. Its list is encoded as a string, because an array of arrays cannot have different lengths. */
type WrittenEntry = Omit<RequestEntry, "warnings"> & { readonly warnings: string }

const written = columnsOf<WrittenEntry>({ ...types, warnings: "text" })

/** The values of an entry as they are inserted. */
const insertedText = written.order
  .map((field) => (field === "warnings" ? `"warnings"::text[]` : `"${field}"`))
  .join(", ")

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { noteCommit } = yield* Statistics
  const table = yield* tableOf("request_log", columns, ["at", "id"])

  const append = (entries: ReadonlyArray<RequestEntry>) => {
    const parameters: Array<unknown> = []
    const { from, values } = written.unnest(
      entries.map((entry) => ({ ...entry, warnings: arrayOf(entry.warnings) })),
      (value) => `$${parameters.push(value)}`
    )
    const text = `insert into request_log (${written.names}) select ${insertedText} from (select ${values} from ${from}) e`
    return Effect.tap(execute(sql.unsafe(text, parameters)), () => Effect.sync(noteCommit))
  }

  return RequestLog.of({
    append: (entries) => (entries.length === 0 ? Effect.void : append(entries)),
    list: (accountId, { code, keyId, method, q = null, route, status, ...range }, page) =>
      table.page(
        page,
        sql.and([sql`account_id = ${accountId}`, ...(q === null ? [] : [sql`request_id = ${q}`])]),
        // The index of the filter that finds the fewest calls is read, and of equal ones the first.
        [
          { column: "code", type: "text", values: code },
          { column: "key_id", type: "uuid", values: keyId },
          { column: "route", type: "text", values: route },
          { column: "status", type: "int", values: status },
          { column: "method", type: "text", values: method }
        ],
        range
      ),
    removeBodies: (accountId) =>
      orUnavailable(sql`
        update request_log set request_body = null, response_body = null
        where account_id = ${accountId} and (request_body is not null or response_body is not null)`).pipe(
        Effect.asVoid
      ),
    prune: (now, limit) =>
      countOf(sql`
        with gone as (
          delete from request_log where ctid = any(array(
            select o.ctid from accounts a cross join lateral (
              select ctid from request_log
              where account_id = a.account_id and at < ${new Date(now)}::timestamptz - make_interval(days =>
                coalesce((a.settings ->> 'requestLogDays')::int, ${defaultSettings.requestLogDays}::int))
              order by at limit ${limit} for update skip locked
            ) o limit ${limit}
          )) returning 1
        )
        select count(*)::int as count from gone`)
  })
}).pipe(Layer.effect(RequestLog), Layer.provide(Statistics.layer))
