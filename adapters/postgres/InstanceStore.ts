/**
 * The installation's record in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Instance, InstanceStore } from "../../core/ports/InstanceStore.ts"
import { available, refusable } from "./errors.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  InstanceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return InstanceStore.of({
      get: Effect.map(
        available(sql<Instance>`
          select sandbox_account_id as "sandboxAccountId", management_token_hash as "managementTokenHash", announced
          from instance`),
        (rows) => rows[0] ?? null
      ),
      insert: ({ announced, managementTokenHash, sandboxAccountId }) =>
        Effect.asVoid(
          refusable(sql`
            insert into instance (sandbox_account_id, management_token_hash, announced)
            values (${sandboxAccountId}, ${managementTokenHash}, ${announced})`)
        ),
      save: ({ announced, managementTokenHash, sandboxAccountId }) =>
        Effect.asVoid(
          available(sql`
            update instance set sandbox_account_id = ${sandboxAccountId},
              management_token_hash = ${managementTokenHash}, announced = ${announced}`)
        )
    })
  })
)
