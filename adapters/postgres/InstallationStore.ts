/**
 * The installation's record in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Installation, InstallationStore } from "../../core/ports/InstallationStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  InstallationStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    return InstallationStore.of({
      get: Effect.map(
        orUnavailable(sql<Installation>`
          select sandbox_account_id as "sandboxAccountId", management_token_hash as "managementTokenHash",
            link_secret as "linkSecret", announced
          from instance`),
        (rows) => rows[0] ?? null
      ),
      insert: ({ announced, linkSecret, managementTokenHash, sandboxAccountId }) =>
        Effect.asVoid(
          orConflict(sql`
            insert into instance (sandbox_account_id, management_token_hash, link_secret, announced)
            values (${sandboxAccountId}, ${managementTokenHash}, ${linkSecret}, ${announced})`)
        ),
      save: ({ announced, linkSecret, managementTokenHash, sandboxAccountId }, before) =>
        Effect.flatMap(
          orUnavailable(sql`
            update instance set sandbox_account_id = ${sandboxAccountId},
              management_token_hash = ${managementTokenHash}, link_secret = ${linkSecret}, announced = ${announced}
            where management_token_hash = ${before}
            returning 1`),
          (rows) =>
            rows.length === 1 ? Effect.void : Effect.fail(new WriteConflict({ constraint: "instance" }))
        ),
      secretCheck: (offered) =>
        Effect.map(
          orUnavailable(sql<{ readonly kept: string }>`
            update instance set secret_check = coalesce(secret_check, ${offered}) returning secret_check as kept`),
          (rows) => rows[0]?.kept ?? null
        )
    })
  })
)
