/**
 * Creates and drops monthly partitions, with the functions of migration 36.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { defaultSettings } from "../../core/model/Account.ts"
import { Partitions, type PartitionedTable } from "../../core/ports/Partitions.ts"
import { partitionedTables } from "./sql/partitionedTables.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf } from "./sql/results.ts"

const tables = ["events_all", "attempts_all"]

/** How many partitions to keep ready after that of the current month. */
const monthsAhead = 2

/** The start of the month, in UTC, that is `months` after the month of `now` (epoch milliseconds). */
const monthAfter = (now: number, months: number): Date => {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months))
}

/**
 * How long after its acceptance a delivery may have attempts, in days. Emails are scheduled up to 30 days ahead, and their
 * attempts end within days after that.
 */
const longestSending = 60

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  return Partitions.of({
    extend: (now) =>
      // Each table in a transaction of its own, so that one that cannot be extended now does not affect the others.
      Effect.forEach(tables, (table) =>
        Effect.exit(
          countOf(
            sql`select svc_extend_partitions(${table}::regclass, ${monthAfter(now, monthsAhead + 1)}) as count`
          )
        )
      ).pipe(
        Effect.flatMap((made) => Effect.all(made)),
        Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0))
      ),
    drop: (now) =>
      countOf(sql`
        select svc_drop_partitions('attempts_all', ${new Date(now)}::timestamptz - make_interval(days => (
          select coalesce(max(coalesce(
            (settings ->> 'recipientRetentionDays')::int, ${defaultSettings.recipientRetentionDays}::int
          )), 0) + ${longestSending}::int from accounts
        ))) as count`),
    tables: orUnavailable(sql<PartitionedTable>`${partitionedTables(sql)}`)
  })
}).pipe(Layer.effect(Partitions))
