/**
 * Reports the progress of long work on a database: migrations, copies, and builds of indexes.
 *
 * @module
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * Called with the progress of a phase. A phase begins with its first report and ends with the first of another. Must not wait.
 *
 * @param phase the kind of work, such as `Copying`
 * @param done the finished part of `total`, in the same unit
 */
export type ReportProgress = (phase: string, done: number, total: number) => void

/** Receives the progress of long work. By default it is ignored. */
export const Progress = Context.Reference<ReportProgress>("svc/adapters/postgres/Progress", {
  defaultValue: () => () => undefined
})

const building = `
  select blocks_done::float8 as done, blocks_total::float8 as total from pg_stat_progress_create_index
  where datname = current_database() and blocks_total > 0 limit 1`

/** How often the server is queried. */
const pause = "1 second"

/**
 * Reports the progress of the index that another session of the server builds, while an effect runs. Nothing is reported if
 * the effect occupies the only connection of the client.
 *
 * @param sql null if there is only one session, which builds the index
 */
export const withIndexProgress =
  (sql: SqlClient | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Progress, (report) => {
      if (sql === null) return effect
      const ask = Effect.map(sql.unsafe<{ done: number; total: number }>(building), ([build]) => {
        if (build !== undefined) report("Building an index", build.done, build.total)
      })
      return Effect.raceFirst(effect, Effect.forever(Effect.andThen(Effect.sleep(pause), Effect.ignore(ask))))
    })
