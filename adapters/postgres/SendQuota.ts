/**
 * Daily counts of emails, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { orUnavailable } from "./sql/errors.ts"

interface GrantedRow {
  readonly accountId: string
  readonly granted: number
}

/** More than anybody sends in a day: no limit. */
const unlimited = 9_000_000_000_000

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  SendQuota,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return SendQuota.of({
      /**
       * What was granted last is kept in the row, since a row that is changed cannot tell what it was before. Rows are
       * taken in one order, so that two takers wait for each other only one way.
       */
      take: (requests) =>
        requests.length === 0
          ? Effect.succeed([])
          : Effect.map(
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
                select "accountId", granted::float8 as granted from taken`),
              (rows) => {
                const granted = new Map(rows.map((row) => [row.accountId, row.granted]))
                return requests.map(({ accountId }) => granted.get(accountId) ?? 0)
              }
            ),
      prune: (day) => Effect.asVoid(orUnavailable(sql`delete from daily_sends where day < ${day}::date`))
    })
  })
)
