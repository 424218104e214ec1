/**
 * Daily counts of emails and counts of queues, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, ifAny } from "./sql/results.ts"

interface GrantedRow {
  readonly accountId: string
  readonly granted: number
}

interface ReservedRow {
  readonly granted: number
  readonly countedAt: number
}

/** More than an account sends in a day. */
const unlimited = 9_000_000_000_000

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  return SendQuota.of({
    // The last grant is stored in the row, since RETURNING does not have a row's values before an update. Rows are
    // locked in one order, so that two callers wait for each other only one way.
    take: (requests) =>
      orUnavailable(sql<GrantedRow>`
        with wish as materialized (
          select "accountId", day, least(wanted, "limit") as wanted,
            coalesce("limit", ${unlimited}::bigint) as "limit"
          from json_to_recordset(${JSON.stringify(requests)}::json) as r(
            "accountId" uuid, day date, wanted bigint, "limit" bigint)
        ), taken as (
          insert into daily_sends as d (account_id, day, sent, granted)
          select "accountId", day, wanted, wanted from wish order by "accountId"
          on conflict (account_id, day) do update set (sent, granted) = (
            select d.sent + g.granted, g.granted from (
              select greatest(0, least(excluded.granted, wish."limit" - d.sent)) as granted
              from wish where wish."accountId" = d.account_id
            ) g
          )
          returning account_id as "accountId", granted
        )
        select "accountId", granted::float8 as granted from taken`).pipe(
        Effect.map((rows) => {
          const granted = new Map(rows.map((row) => [row.accountId, row.granted]))
          return requests.map(({ accountId }) => granted.get(accountId) ?? 0)
        }),
        ifAny(requests)
      ),
    // The last grant is stored, as in `take`.
    reserve: ({ accountId, most, wanted }) =>
      orUnavailable(sql<ReservedRow>`
        update queued_emails set
          granted = greatest(0, least(${wanted}::bigint, most - waiting)),
          waiting = waiting + greatest(0, least(${wanted}::bigint, most - waiting))
        where account_id = ${accountId} and most = ${most}
        returning granted::float8 as granted, counted_at::float8 as "countedAt"`).pipe(
        Effect.map(([row]) => row ?? { granted: 0, countedAt: null })
      ),
    release: (accountId, count) =>
      execute(sql`
        update queued_emails set waiting = greatest(0, waiting - ${count}::bigint)
        where account_id = ${accountId}`),
    recount: ({ accountId, at, most, since, waiting }) =>
      execute(sql`
        insert into queued_emails as q (account_id, most, waiting, granted, counted_at)
        values (${accountId}, ${most}, ${waiting}, 0, ${at})
        on conflict (account_id) do update
          set most = excluded.most, waiting = excluded.waiting, counted_at = excluded.counted_at
          where q.most <> excluded.most or q.counted_at = ${since}::bigint`),
    prune: (day) => execute(sql`delete from daily_sends where day < ${day}::date`)
  })
}).pipe(Layer.effect(SendQuota))
