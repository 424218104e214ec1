/**
 * Stores the standing of accounts, and the counts on which it is based, in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type Bucket,
  bucketCounts,
  type BucketSpan,
  type Observation,
  type Standing
} from "../../core/model/Standing.ts"
import { StandingStore } from "../../core/ports/StandingStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

/** A row. An empty source stands for null. */
type BucketRow = Omit<Bucket, "source"> & { readonly source: string; readonly span: BucketSpan }

const buckets = columnsOf<BucketRow>({
  accountId: "uuid",
  span: "text",
  start: "timestamptz",
  stream: "text",
  domain: "text",
  provider: "text",
  source: "text",
  handed: "integer",
  delivered: "integer",
  deferred: "integer",
  policy: "integer",
  bounced: "integer",
  mailboxFull: "integer",
  complained: "integer",
  unsubscribed: "integer",
  openedHuman: "integer",
  openedMachine: "integer",
  clickedHuman: "integer",
  clickedMachine: "integer"
})

const observations = columnsOf<Observation>({
  accountId: "uuid",
  provider: "text",
  domain: "text",
  day: "text",
  spamRate: "double precision"
})

const standings = columnsOf<Standing>({
  accountId: "uuid",
  state: "text",
  reasons: "jsonb",
  heldAt: "timestamptz",
  heldUntil: "timestamptz",
  liftedAt: "timestamptz"
})

const lengths: Readonly<Record<BucketSpan, number>> = { Hour: 3_600_000, Day: 86_400_000 }

const sums = bucketCounts
  .map((name) => buckets.column(name))
  .map((name) => `${name} = b.${name} + excluded.${name}`)
  .join(", ")

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const bucketTable = yield* tableOf("standing_buckets", buckets)
  const observed = yield* tableOf("standing_observations", observations)
  const table = yield* tableOf("standings", standings)

  return StandingStore.of({
    // One row for each key, and in one order, so that two callers cannot deadlock.
    add: (changes) => {
      const rows = new Map<string, BucketRow>()
      for (const { at, source: from, ...change } of changes) {
        const source = from ?? ""
        for (const span of ["Hour", "Day"] as const) {
          const start = Math.floor(at / lengths[span]) * lengths[span]
          const key = [
            change.accountId,
            span,
            start,
            change.stream,
            change.domain,
            change.provider,
            source
          ].join(" ")
          const before = rows.get(key)
          const counts = bucketCounts.map((name) => [name, (before?.[name] ?? 0) + change[name]])
          rows.set(key, { ...change, source, span, start, ...Object.fromEntries(counts) })
        }
      }
      return rows.size === 0
        ? Effect.void
        : execute(sql`
            insert into standing_buckets as b (${sql.literal(buckets.names)})
            select ${sql.literal(buckets.fields)}
            from json_to_recordset(${buckets.encode([...rows.values()])}::json) as r(${sql.literal(buckets.recordset)})
            order by 1, 2, 3, 4, 5, 6, 7
            on conflict (account_id, span, start, stream, domain, provider, source) do update set ${sql.literal(sums)}`)
    },
    buckets: (accountIds, span, since) =>
      Effect.map(
        bucketTable.select(sql`
          from standing_buckets
          where account_id = any(${accountIds}::uuid[]) and span = ${span} and start >= ${new Date(since)}`),
        (rows) =>
          rows.map(({ source, span: _span, ...bucket }): Bucket => ({
            ...bucket,
            source: source === "" ? null : source
          }))
      ).pipe(ifAny(accountIds)),
    reporters: (since) =>
      Effect.map(
        orUnavailable(sql<{ readonly provider: string }>`
          select distinct provider from standing_buckets
          where span = 'Day' and complained > 0 and start >= ${new Date(since)}`),
        (rows) => rows.map(({ provider }) => provider)
      ),
    observe: (given) =>
      observed.insertMany(
        given,
        "on conflict (account_id, provider, domain, day) do update set spam_rate = excluded.spam_rate"
      ),
    observations: (accountIds, since) =>
      observed
        .select(
          sql`from standing_observations where account_id = any(${accountIds}::uuid[]) and day >= ${since}
            order by day desc`
        )
        .pipe(ifAny(accountIds)),
    find: (accountIds) =>
      table.select(sql`from standings where account_id = any(${accountIds}::uuid[])`).pipe(ifAny(accountIds)),
    save: (standing) =>
      table.insertMany(
        [standing],
        `on conflict (account_id) do update set state = excluded.state, reasons = excluded.reasons,
          held_at = excluded.held_at, held_until = excluded.held_until, lifted_at = excluded.lifted_at,
          ramp_day = case when standings.lifted_at is not distinct from excluded.lifted_at then standings.ramp_day end`
      ),
    active: (since) =>
      Effect.map(
        orUnavailable(sql<{ readonly id: string }>`
          select account_id as id from standing_buckets where span = 'Hour' and start >= ${new Date(since)}
          union select account_id from standings where state <> 'Good'`),
        (rows) => rows.map(({ id }) => id)
      ),
    // The last grant is stored in the row, because RETURNING cannot return values from before an update.
    take: ({ accountId, day, limit, wanted }) =>
      Effect.map(
        orUnavailable(sql<{ readonly granted: number }>`
          update standings set ramp_day = greatest(ramp_day, ${day}::integer),
            ramp_granted = greatest(0, least(${wanted}::integer,
              ${limit}::integer - case when ramp_day >= ${day}::integer then ramp_sent else 0 end)),
            ramp_sent = case when ramp_day >= ${day}::integer then ramp_sent else 0 end
              + greatest(0, least(${wanted}::integer,
                ${limit}::integer - case when ramp_day >= ${day}::integer then ramp_sent else 0 end))
          where account_id = ${accountId} returning ramp_granted as granted`),
        ([row]) => row?.granted ?? 0
      ),
    count: Effect.map(
      orUnavailable(sql<{ readonly state: "Notice" | "Held"; readonly count: number }>`
        select state, count(*)::int as count from standings where state <> 'Good' group by state`),
      (rows) => ({
        Notice: rows.find(({ state }) => state === "Notice")?.count ?? 0,
        Held: rows.find(({ state }) => state === "Held")?.count ?? 0
      })
    ),
    prune: (hours, days, limit) =>
      countOf(sql`
        with gone as (
          delete from standing_buckets where ctid = any(array(
            select ctid from standing_buckets
            where (span = 'Hour' and start < ${new Date(hours)}) or (span = 'Day' and start < ${new Date(days)})
            limit ${limit} for update skip locked
          )) returning 1
        )
        select count(*)::int as count from gone`)
  })
}).pipe(Layer.effect(StandingStore))
