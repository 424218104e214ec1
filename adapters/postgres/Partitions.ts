/**
 * Makes and drops partitions of months by the functions of migration 36.
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

/** The partitions after that of the present month. */
const monthsAhead = 2

/** The first moment of the month, UTC, that begins `months` after the month of `now`; epoch milliseconds. */
const monthAfter = (now: number, months: number): Date => {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months))
}

/**
 * How long a delivery's attempts may follow its acceptance, in days: emails are scheduled 30 days ahead, and attempts end
 * within days of that.
 */
const longestSending = 60

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  return Partitions.of({
    extend: (now) =>
      // Each in a transaction of its own: a table that cannot be extended now does not keep the others from it.
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
