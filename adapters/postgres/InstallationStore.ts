/**
 * Stores the installation's record in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type Installation,
  type InstallationSecret,
  InstallationStore
} from "../../core/ports/InstallationStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Installation>({
  sandboxAccountId: "uuid",
  managementTokenHash: "text",
  announced: "boolean"
})

const secretColumns = columnsOf<InstallationSecret>({
  id: "text",
  use: "text",
  sealed: "text",
  createdAt: "timestamptz",
  acceptedUntil: "timestamptz"
})

const replaced = secretColumns.replaced(["use", "sealed", "createdAt", "acceptedUntil"])

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  // The table has an earlier name of the record.
  const table = yield* tableOf("instance", columns)
  const secrets = yield* tableOf("installation_secrets", secretColumns)

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
      ),
    replaceSecretCheck: (sealed) => execute(sql`update instance set secret_check = ${sealed}`),
    getSecretCheck: orUnavailable(sql<{ readonly kept: string | null }>`
      select secret_check as kept from instance`).pipe(Effect.map(([row]) => row?.kept ?? null)),
    shortTokenUntil: orUnavailable(sql<{ readonly until: Date | null }>`
      select short_token_until as until from instance`).pipe(
      Effect.map(([row]) => row?.until?.getTime() ?? null)
    ),
    takeUsersNotice: orUnavailable(
      sql`update instance set has_users_notice = false where has_users_notice returning 1`
    ).pipe(Effect.map((rows) => rows.length > 0)),
    lock: execute(sql`select from instance for update`),
    secrets: secrets.select(sql`from installation_secrets order by created_at desc, id desc`),
    saveSecrets: (saved) => secrets.insertMany(saved, `on conflict (id) do update set ${replaced}`),
    removeSecrets: (ids) => execute(sql`delete from installation_secrets where id = any(${ids}::text[])`),
    takePlainSecret: Effect.gen(function* () {
      const [row] = yield* orUnavailable(sql<{ readonly plain: string | null }>`
        select link_secret as plain from instance for update`)
      const plain = row?.plain ?? null
      if (plain !== null) yield* execute(sql`update instance set link_secret = null`)
      return plain
    })
  })
}).pipe(Layer.effect(InstallationStore))
