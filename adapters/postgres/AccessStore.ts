/**
 * Stores the access of operators in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { AccessStore, type OpenedAccess } from "../../core/ports/AccessStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { execute } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<OpenedAccess>({
  companyId: "uuid",
  userId: "uuid",
  reason: "text",
  openedAt: "timestamptz",
  until: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("operator_access", columns)

  return AccessStore.of({
    open: (access) =>
      execute(sql`
        ${table.insertion([access])} on conflict (user_id, company_id)
        do update set ${sql.literal(columns.replaced(["reason", "openedAt", "until"]))}`),
    close: (companyId, userId) =>
      Effect.map(
        orUnavailable(sql`
          delete from operator_access where company_id = ${companyId} and user_id = ${userId} returning 1`),
        (rows) => rows.length > 0
      ),
    find: (userId, now) =>
      table.select(sql`from operator_access where user_id = ${userId} and until > ${new Date(now)}`),
    prune: (before, limit) => pruneOldest(sql, "operator_access", "until", before, limit)
  })
}).pipe(Layer.effect(AccessStore))
