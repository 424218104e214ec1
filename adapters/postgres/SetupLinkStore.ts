/**
 * Stores set-up links in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SetupLink } from "../../core/model/User.ts"
import { SetupLinkStore } from "../../core/ports/SetupLinkStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute, first } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<SetupLink>({
  hash: "text",
  kind: "text",
  userId: "uuid",
  email: "text",
  companyId: "uuid",
  expiresAt: "timestamptz",
  usedAt: "timestamptz",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("setup_links", columns)

  return SetupLinkStore.of({
    insert: (link) => table.insertMany([link]),
    find: (hash) => first(table.select(sql`from setup_links where hash = ${hash}`)),
    use: (hash, now) =>
      Effect.map(
        orUnavailable(sql`
          update setup_links set used_at = ${new Date(now)} where hash = ${hash} and used_at is null returning 1`),
        (rows) => rows.length > 0
      ),
    removeOf: (userId, companyId) =>
      execute(sql`
        delete from setup_links where user_id is not distinct from ${userId}::uuid
          and (${companyId}::uuid is null or company_id = ${companyId})`),
    prune: (before, limit) => pruneOldest(sql, "setup_links", "expires_at", before, limit)
  })
}).pipe(Layer.effect(SetupLinkStore))
