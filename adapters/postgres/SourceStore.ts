/**
 * Stores sources and pools in the database, and what each source sent by day.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MailSource, SourceDay, SourcePool } from "../../core/model/Source.ts"
import { blankDay } from "../../core/model/Source.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<MailSource>({
  id: "uuid",
  address: "text",
  name: "text",
  pool: "text",
  mode: "text",
  isForced: "boolean",
  reverse: "jsonb",
  warmUp: "jsonb",
  createdAt: "timestamptz"
})

const poolColumns = columnsOf<SourcePool>({ key: "text", name: "text", overflow: "text" })

const dayColumns = columnsOf<SourceDay>({
  day: "text",
  sourceId: "uuid",
  bucket: "text",
  sent: "integer",
  deferred: "integer",
  policy: "integer",
  bounced: "integer",
  complained: "integer",
  taken: "integer",
  hour: "integer",
  hourTaken: "integer",
  minute: "integer",
  minuteTaken: "integer"
})

const dayKey = "day, source_id, bucket"
/** Rows are locked in this order, so that two transactions cannot deadlock. */
const byDay = 'order by day, "sourceId", bucket'

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const sources = yield* tableOf("sources", columns)
  const pools = yield* tableOf("source_pools", poolColumns, ["key"])
  const days = yield* tableOf("source_days", dayColumns, ["day"])
  const replacedDay = dayColumns.replaced(
    dayColumns.order.filter((field) => field !== "day" && field !== "sourceId" && field !== "bucket")
  )

  return SourceStore.of({
    all: Effect.all({
      sources: sources.select(sql`from sources order by created_at, id`),
      pools: pools.select(sql`from source_pools order by key`)
    }),
    insert: (source) => sources.insertMany([source]),
    save: (source) =>
      Effect.asVoid(sources.update(source, ["name", "pool", "mode", "isForced", "warmUp"], ["id"])),
    saveReverse: (found) =>
      found.size === 0
        ? Effect.void
        : execute(sql`
            update sources set reverse = given.reverse
            from jsonb_to_recordset(${JSON.stringify(
              [...found].map(([id, reverse]) => ({ id, reverse }))
            )}::jsonb) as given(id uuid, reverse jsonb)
            where sources.id = given.id`),
    remove: (id) => execute(sql`delete from sources where id = ${id}`),
    putPool: (pool) =>
      pools.insertMany(
        [pool],
        "on conflict (key) do update set name = excluded.name, overflow = excluded.overflow"
      ),
    removePool: (key) => execute(sql`delete from source_pools where key = ${key}`),
    // If another transaction adds a day at the same time, this waits for it and reads the row as that transaction left it.
    lockDays: (keys) =>
      days
        .returning(
          days.insertion(
            keys.map(blankDay),
            `${byDay} on conflict (${dayKey}) do update set day = excluded.day`
          )
        )
        .pipe(ifAny(keys)),
    putDays: (given) =>
      days.insertMany(given, `${byDay} on conflict (${dayKey}) do update set ${replacedDay}`),
    daysSince: (day, buckets) =>
      days.select(sql`from source_days where day >= ${day} and bucket = any(${buckets}::text[])`),
    pruneDays: (before, except, limit) =>
      countOf(sql`
        with gone as (
          delete from source_days where ctid = any(array(
            select ctid from source_days where day < ${before} and bucket <> all(${except}::text[])
            order by day limit ${limit} for update skip locked
          )) returning 1
        )
        select count(*)::int as count from gone`)
  })
}).pipe(Layer.effect(SourceStore))
