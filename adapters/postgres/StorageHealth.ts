/**
 * Whether the database answers.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"
import { orUnavailable } from "./sql/errors.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  StorageHealth,
  Effect.map(SqlClient, (sql) => StorageHealth.of({ ping: Effect.asVoid(orUnavailable(sql`select 1`)) }))
)
