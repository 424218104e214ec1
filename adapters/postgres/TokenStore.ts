/**
 * Stores tokens in the database. The table is named after the first kind of token, that of the installation.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Token, TokenOwner } from "../../core/model/Token.ts"
import { TokenStore } from "../../core/ports/TokenStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { makeInsertWithinLimit } from "./sql/limits.ts"
import { execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Token>({
  id: "uuid",
  companyId: "uuid",
  userId: "uuid",
  name: "text",
  hash: "text",
  display: "text",
  rights: "text[]",
  accounts: "text",
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

  const isOf = ({ companyId, userId }: TokenOwner) =>
    sql.and([
      companyId === null ? sql`company_id is null` : sql`company_id = ${companyId}`,
      userId === null ? sql`user_id is null` : sql`user_id = ${userId}`
    ])

  return TokenStore.of({
    insert: (token, maxActive) =>
      insertWithinLimit(
        [`tokens ${token.companyId ?? ""} ${token.userId ?? ""}`],
        table.insertMany([token]),
        sql`select svc_conflict('tokens_active') where (
          select count(*) from installation_tokens where ${isOf(token)}
          and revoked_at is null and (expires_at is null or expires_at > ${new Date(token.createdAt)})
        ) > ${maxActive}`
      ),
    find: (hash) => first(table.select(sql`from installation_tokens where hash = ${hash}`)),
    list: (owner, page) => table.page(page, isOf(owner)),
    revoke: (owner, id, now) =>
      first(
        table.returning(sql`
          update installation_tokens set revoked_at = coalesce(revoked_at, ${new Date(now)})
          where id = ${id} and ${isOf(owner)}`)
      ),
    revokeAll: (owner, now) =>
      execute(sql`
        update installation_tokens set revoked_at = ${new Date(now)} where revoked_at is null and ${isOf(owner)}`),
    touch: (id, usedAt, network) =>
      execute(sql`
        update installation_tokens set last_used_at = ${new Date(usedAt)}, last_used_network = ${network}
        where id = ${id}`)
  })
}).pipe(Layer.effect(TokenStore))
