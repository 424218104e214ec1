/**
 * Installation tokens in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { InstallationToken } from "../../core/model/InstallationToken.ts"
import { InstallationTokenStore } from "../../core/ports/InstallationTokenStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { makeInsertWithinLimit } from "./sql/limits.ts"
import { execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<InstallationToken>({
  id: "uuid",
  name: "text",
  hash: "text",
  display: "text",
  rights: "text[]",
  expiresAt: "timestamptz",
  lastUsedAt: "timestamptz",
  lastUsedNetwork: "text",
  revokedAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("installation_tokens", columns)
  const insertWithinLimit = yield* makeInsertWithinLimit

  return InstallationTokenStore.of({
    insert: (token, maxActive) =>
      insertWithinLimit(
        ["installation tokens"],
        table.insertMany([token]),
        sql`select svc_conflict('installation_tokens_active') where (
          select count(*) from installation_tokens
          where revoked_at is null and (expires_at is null or expires_at > ${new Date(token.createdAt)})
        ) > ${maxActive}`
      ),
    find: (hash) => first(table.select(sql`from installation_tokens where hash = ${hash}`)),
    list: (page) => table.page(page, sql`true`),
    revoke: (id, now) =>
      first(
        table.returning(sql`
          update installation_tokens set revoked_at = coalesce(revoked_at, ${new Date(now)}) where id = ${id}`)
      ),
    touch: (id, usedAt, network) =>
      execute(sql`
        update installation_tokens set last_used_at = ${new Date(usedAt)}, last_used_network = ${network}
        where id = ${id}`)
  })
}).pipe(Layer.effect(InstallationTokenStore))
