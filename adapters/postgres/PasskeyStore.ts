/**
 * Stores passkeys in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Passkey } from "../../core/model/Passkey.ts"
import { PasskeyStore } from "../../core/ports/PasskeyStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Passkey>({
  id: "uuid",
  userId: "uuid",
  credentialId: "text",
  publicKey: "text",
  counter: "bigint",
  transports: "jsonb",
  name: "text",
  lastUsedAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("passkeys", columns)

  return PasskeyStore.of({
    insert: (passkey) => table.insertOrConflict([passkey]),
    findCredential: (credentialId) =>
      first(table.select(sql`from passkeys where credential_id = ${credentialId}`)),
    list: (userId) =>
      table.select(sql`from passkeys where user_id = ${userId} order by created_at desc, id desc`),
    use: (id, counter, usedAt) =>
      Effect.map(
        orUnavailable(sql`
          update passkeys set counter = ${counter}, last_used_at = ${new Date(usedAt)}
          where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning 1`),
        (rows) => rows.length > 0
      ),
    rename: (userId, id, name) =>
      first(
        table.returning(sql`update passkeys set name = ${name} where id = ${id} and user_id = ${userId}`)
      ),
    remove: (userId, id) =>
      first(table.returning(sql`delete from passkeys where id = ${id} and user_id = ${userId}`))
  })
}).pipe(Layer.effect(PasskeyStore))
