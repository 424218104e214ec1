/**
 * The audit log in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type AuditEntry, AuditLog } from "../../core/ports/AuditLog.ts"
import { columnsOf } from "./sql/columns.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<AuditEntry>({
  id: "uuid",
  accountId: "uuid",
  at: "timestamptz",
  actor: "text",
  action: "text",
  target: "text",
  before: "jsonb",
  after: "jsonb"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const entries = yield* tableOf("audit_log", columns, ["at", "id"])

  return AuditLog.of({
    prune: (before, limit) => pruneOldest(sql, "audit_log", "at", before, limit),
    append: (added) => entries.insertMany(added),
    list: (accountId, page) => entries.page(page, sql`account_id = ${accountId}`)
  })
}).pipe(Layer.effect(AuditLog))
