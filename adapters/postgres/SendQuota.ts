/**
 * Stores daily counts of emails, and counts of queues and of emails held for review, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { SendQuota } from "../../core/ports/SendQuota.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, ifAny } from "./sql/results.ts"

interface GrantedRow {
  readonly accountId: string
  readonly granted: number
}

interface ReservedRow {
  readonly granted: number
  readonly countedAt: number
}

interface HeldRow {
  readonly sourceId: string
  readonly count: number
}

/** The counts of sources, in the order of `sourceIds`; 0 for those without a row. */
const inOrder = (rows: ReadonlyArray<HeldRow>, sourceIds: ReadonlyArray<string>): ReadonlyArray<number> => {
  const counts = new Map(rows.map((row) => [row.sourceId, row.count]))
  return sourceIds.map((sourceId) => counts.get(sourceId) ?? 0)
}

/** More emails than any account sends in a day. */
const unlimited = 9_000_000_000_000

/**
 * The number of rows over which the emails of an account without a limit are counted; the connection determines the row. A row
 * is locked until its transaction ends, so with one row transactional email would wait for batches of campaigns.
 */
const shardCount = 16

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  return SendQuota.of({
    // The last grant is stored in the row, because RETURNING cannot return values from before an update. Rows are locked
    // in one order, so that two callers cannot deadlock.
    take: (requests) =>
      orUnavailable(sql<GrantedRow>`
        with wish as materialized (
          select "accountId", day, shard, room, greatest(0, least(wanted, room)) as wanted
          from json_to_recordset(${JSON.stringify(requests)}::json) as r(
            "accountId" uuid, day date, wanted bigint, "limit" bigint)
          cross join lateral (
            select case when "limit" is null then 1 + pg_backend_pid() % ${shardCount}::int else 0 end as shard offset 0
          ) s
          cross join lateral (
            select coalesce("limit", ${unlimited}::bigint) - coalesce((
              select sum(sent) from daily_sends d
              where s.shard = 0 and d.account_id = "accountId" and d.day = r.day and d.shard > 0
            ), 0)::bigint as room offset 0
          ) o
        ), taken as (
          insert into daily_sends as d (account_id, day, shard, sent, granted)
          select "accountId", day, shard, wanted, wanted from wish order by "accountId"
          on conflict (account_id, day, shard) do update set (sent, granted) = (
            select d.sent + g.granted, g.granted from (
              select greatest(0, least(excluded.granted, wish.room - d.sent)) as granted
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
    taken: (accountId, day) =>
      countOf(sql`
        select coalesce(sum(sent), 0)::float8 as count from daily_sends
        where account_id = ${accountId} and day = ${day}::date`),
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
    // Creates the row and so locks it, so that two first counts cannot miss each other. No account has a maximum of -1.
    lock: (accountId, most) =>
      orUnavailable(sql<{ readonly countedAt: number | null }>`
        insert into queued_emails as q (account_id, most, waiting, granted, counted_at)
        values (${accountId}, -1, 0, 0, 0)
        on conflict (account_id) do update set granted = q.granted
        returning case when most = ${most}::bigint then counted_at::float8 end as "countedAt"`).pipe(
        Effect.map(([row]) => row?.countedAt ?? null)
      ),
    recount: ({ accountId, at, most, waiting }) =>
      execute(sql`
        update queued_emails set most = ${most}::bigint, waiting = ${waiting}::bigint, counted_at = ${at}::bigint
        where account_id = ${accountId}`),
    held: (accountId, sourceIds) =>
      orUnavailable(sql<HeldRow>`
        select source_id as "sourceId", held::float8 as count from review_holds
        where account_id = ${accountId} and source_id = any(${sourceIds}::uuid[])`).pipe(
        Effect.map((rows) => inOrder(rows, sourceIds)),
        ifAny(sourceIds)
      ),
    // The last grant is stored, as in `take`. A source that cannot hold more is not locked.
    hold: (accountId, most, requests) =>
      orUnavailable(sql<HeldRow>`
        insert into review_holds as h (account_id, source_id, held, granted)
        select ${accountId}::uuid, "sourceId", least(wanted, ${most}::bigint), least(wanted, ${most}::bigint)
        from json_to_recordset(${JSON.stringify(requests)}::json) as r("sourceId" uuid, wanted bigint)
        where not exists (
          select from review_holds where account_id = ${accountId} and source_id = "sourceId" and held >= ${most}::bigint
        )
        order by "sourceId"
        on conflict (account_id, source_id) do update set
          granted = greatest(0, least(excluded.granted, ${most}::bigint - h.held)),
          held = h.held + greatest(0, least(excluded.granted, ${most}::bigint - h.held))
        returning source_id as "sourceId", granted::float8 as count`).pipe(
        Effect.map((rows) =>
          inOrder(
            rows,
            requests.map(({ sourceId }) => sourceId)
          )
        ),
        ifAny(requests)
      ),
    prune: (day) => execute(sql`delete from daily_sends where day < ${day}::date`)
  })
}).pipe(Layer.effect(SendQuota))
