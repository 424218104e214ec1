/**
 * The installation's record in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Installation, InstallationStore } from "../../core/ports/InstallationStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Installation>({
  sandboxAccountId: "uuid",
  managementTokenHash: "text",
  linkSecret: "text",
  announced: "boolean"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  // The table's name is older than the record's.
  const table = yield* tableOf("instance", columns)

  return InstallationStore.of({
    get: first(table.select(sql`from instance`)),
    insert: (installation) => table.insertOrConflict([installation]),
    save: (installation, before) =>
      Effect.flatMap(
        table.update(installation, columns.order, [], sql`management_token_hash = ${before}`),
        (isSaved) => (isSaved ? Effect.void : Effect.fail(new WriteConflict({ constraint: "instance" })))
      ),
    secretCheck: (offered) =>
      orUnavailable(sql<{ readonly kept: string }>`
        update instance set secret_check = coalesce(secret_check, ${offered}) returning secret_check as kept`).pipe(
        Effect.map(([row]) => row?.kept ?? null)
      )
  })
}).pipe(Layer.effect(InstallationStore))
