/**
 * What the database knows of how its tables have grown. A plan is made once and kept: one that was made for an empty table
 * may read all of it when it is large. A server counts its tables anew within a minute or two, PGlite when it is told to.
 *
 * @module
 */
import { Context, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { untraced } from "../../../core/shared/Tracing.ts"

/** A table this small is read soon, whatever the plan. Pages of 8 KiB. */
const smallPages = 8

/** How many times as large as when it was counted a table may be. */
const growth = 4

/** The time between two looks while there are commits. */
const pause = "2 seconds"

const grownText = `
  select c.oid::regclass::text as name from pg_class c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and pg_relation_size(c.oid) > 8192 * greatest(${smallPages}, ${growth} * c.relpages::bigint)
  order by 1`

/** Counts the tables that have grown; those that another node counts are left to it. */
const countGrown = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(sql.unsafe<{ readonly name: string }>(grownText), (tables) =>
    Effect.forEach(tables, ({ name }) => sql.unsafe(`analyze (skip_locked) ${name}`), { discard: true })
  )
)

/**
 * Looks after the statistics for as long as its layer's scope is open: a moment after commits, not while nothing is
 * written. What fails is tried again then.
 */
export class Statistics extends Context.Service<
  Statistics,
  {
    /** To be called after each commit that may make a table grow fast. */
    readonly noteCommit: () => void
  }
>()("svc/adapters/postgres/Statistics") {
  static readonly layer = Layer.effect(
    Statistics,
    Effect.gen(function* () {
      const committed = yield* Latch.make(false)
      const look = Effect.gen(function* () {
        yield* committed.await
        yield* committed.close
        yield* untraced(Effect.ignore(countGrown))
        yield* Effect.sleep(pause)
      })
      yield* Effect.forkScoped(Effect.forever(look))
      return Statistics.of({ noteCommit: () => committed.openUnsafe() })
    })
  )
}
