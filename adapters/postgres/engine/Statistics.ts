/**
 * Keeps the planner's statistics current. Plans are made once and kept, and a plan made for an empty table may read the whole
 * table after it has grown. A server analyses its tables within a minute or two, PGlite only on request.
 *
 * @module
 */
import { Context, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { untraced } from "../../../core/shared/Tracing.ts"

/** The size, in pages of 8 KiB, up to which any plan reads a table quickly. */
const smallPages = 8

/** By what factor a table may grow after its last analysis. */
const growth = 4

/** The time between two checks while there are commits. */
const pause = "2 seconds"

const grownText = `
  select c.oid::regclass::text as name from pg_class c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
    and pg_relation_size(c.oid) > 8192 * greatest(${smallPages}, ${growth} * c.relpages::bigint)
  order by 1`

/** Analyses the tables that have grown, except those that another node is analysing. */
const countGrown = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(sql.unsafe<{ readonly name: string }>(grownText), (tables) =>
    Effect.forEach(tables, ({ name }) => sql.unsafe(`analyze (skip_locked) ${name}`), { discard: true })
  )
)

/**
 * Checks the statistics while the scope of its layer is open: shortly after commits, and not while nothing is written. A
 * failed check is repeated after the next commits.
 */
export class Statistics extends Context.Service<
  Statistics,
  {
    /** Must be called after each commit that may make a table grow quickly. */
    readonly noteCommit: () => void
  }
>()("svc/adapters/postgres/Statistics") {
  static readonly layer = Layer.effect(
    Statistics,
    Effect.gen(function* () {
      const committed = yield* Latch.make(false)
      const check = Effect.gen(function* () {
        yield* committed.await
        yield* committed.close
        yield* untraced(Effect.ignore(countGrown))
        yield* Effect.sleep(pause)
      })
      yield* Effect.forkScoped(Effect.forever(check))
      return Statistics.of({ noteCommit: () => committed.openUnsafe() })
    })
  )
}
