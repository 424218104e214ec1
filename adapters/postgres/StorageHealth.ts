/**
 * Checks that the database responds, and measures it.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute } from "./sql/results.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  StorageHealth,
  Effect.map(SqlClient, (sql) =>
    StorageHealth.of({
      ping: execute(sql`select 1`),
      size: Effect.map(
        orUnavailable(sql<{ readonly size: number }>`
          select pg_database_size(current_database())::float8 as size`),
        ([row]) => row!.size
      )
    })
  )
)
