/**
 * Checks that the database responds.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { execute } from "./sql/results.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  StorageHealth,
  Effect.map(SqlClient, (sql) => StorageHealth.of({ ping: execute(sql`select 1`) }))
)
