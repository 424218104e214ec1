/**
 * Keeps the planner's statistics current. A plan is made once and kept: one made for an empty table may read all of
 * it when it is large. A server analyses its tables within a minute or two, PGlite only on request.
 *
 * @module
 */
import { Context, Effect, Latch, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { untraced } from "../../../core/shared/Tracing.ts"

/** A table up to this size, in pages of 8 KiB, is read quickly with any plan. */
const smallPages = 8

/** How many times larger than at its last analysis a table may be. */
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
 * Checks the statistics while its layer's scope is open: shortly after commits, not while nothing is written. A check
 * that fails is repeated then.
 */
export class Statistics extends Context.Service<
  Statistics,
  {
    /** Must be called after each commit that may make a table grow fast. */
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
