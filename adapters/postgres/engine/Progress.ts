/**
 * Reports how far long work on a database is: migrations, copies, builds of indexes.
 *
 * @module
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

/**
 * Called with the state of a phase. A phase begins with its first report and ends with the first of another. It must not wait.
 *
 * @param phase what is done, such as `Copying`
 * @param done how much of `total` is done, in the same unit
 */
export type ReportProgress = (phase: string, done: number, total: number) => void

/** Where long work reports to; nowhere unless provided. */
export const Progress = Context.Reference<ReportProgress>("svc/adapters/postgres/Progress", {
  defaultValue: () => () => undefined
})

const building = `
  select blocks_done::float8 as done, blocks_total::float8 as total from pg_stat_progress_create_index
  where datname = current_database() and blocks_total > 0 limit 1`

/** How often the server is asked. */
const pause = "1 second"

/**
 * Reports how far the index is that another session of the server builds, while an effect runs. A client whose only
 * connection the effect has reports nothing.
 *
 * @param sql null where there is one session, which builds the index
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
