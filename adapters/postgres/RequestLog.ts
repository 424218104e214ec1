/**
 * The request log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { defaultSettings } from "../../core/model/Account.ts"
import type { RequestEntry } from "../../core/model/RequestEntry.ts"
import { RequestLog } from "../../core/ports/RequestLog.ts"
import { Statistics } from "./engine/Statistics.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<RequestEntry>({
  accountId: "uuid",
  id: "uuid",
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
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { noteCommit } = yield* Statistics
  const table = yield* tableOf("request_log", columns, ["at", "id"])
  return RequestLog.of({
    append: (entries) => Effect.tap(table.insertMany(entries), () => Effect.sync(noteCommit)),
    list: (accountId, { code, keyId, method, q = null, route, status, ...range }, page) =>
      table.page(
        page,
        sql.and([sql`account_id = ${accountId}`, ...(q === null ? [] : [sql`request_id = ${q}`])]),
        // By the values that are fewest first: the index of the first is read.
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
