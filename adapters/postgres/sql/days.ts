/**
 * Counts rows by day, with one statement for all days. Each day is a range of an index.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import type { UtcDay } from "../../../core/shared/UtcDays.ts"
import { orUnavailable } from "./errors.ts"

/** The count of a day, by its number from 1. Days without a row have the count 0. */
interface CountRow {
  readonly place: number
  readonly count: number
}

/** A {@link CountRow} of the rows with a status. */
export interface StatusCountRow<Status> extends CountRow {
  readonly status: Status
}

/** Days as rows `d (since, until, place)`. */
export const dayRows = (sql: SqlClient, days: ReadonlyArray<UtcDay>): Fragment => {
  const timestamps = (of: "from" | "to") => days.map((day) => new Date(day[of]).toISOString())
  return sql`rows from (
    unnest(${timestamps("from")}::timestamptz[]), unnest(${timestamps("to")}::timestamptz[])
  ) with ordinality as d(since, until, place)`
}

/** The counts of days, in order. */
export const countsOf = (
  rows: Effect.Effect<ReadonlyArray<CountRow>, SqlError>,
  days: ReadonlyArray<UtcDay>
): Effect.Effect<ReadonlyArray<number>, Unavailable> =>
  Effect.map(orUnavailable(rows), (found) => {
    const counts = days.map(() => 0)
    for (const { count, place } of found) counts[place - 1] = count
    return counts
  })

/** The counts of days by status, in order; each day has every status. */
export const statusCountsOf = <Status extends string>(
  rows: Effect.Effect<ReadonlyArray<StatusCountRow<Status>>, SqlError>,
  days: ReadonlyArray<UtcDay>,
  statuses: ReadonlyArray<Status>
): Effect.Effect<ReadonlyArray<Record<Status, number>>, Unavailable> =>
  Effect.map(orUnavailable(rows), (found) => {
    const counts = days.map(
      () => Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>
    )
    for (const { count, place, status } of found) counts[place - 1]![status] = count
    return counts
  })
