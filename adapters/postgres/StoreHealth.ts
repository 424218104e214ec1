/**
 * Whether the database answers.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StoreHealth } from "../../core/ports/StoreHealth.ts"
import { available } from "./errors.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  StoreHealth,
  Effect.map(SqlClient, (sql) => StoreHealth.of({ ping: Effect.asVoid(available(sql`select 1`)) }))
)
