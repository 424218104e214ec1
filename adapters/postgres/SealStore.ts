/**
 * Stores the seals of audit logs in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type AuditSeal, SealStore } from "../../core/ports/SealStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<AuditSeal>({
  companyId: "uuid",
  day: "text",
  entries: "int",
  previous: "text",
  hash: "text",
  pruned: "text"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const seals = yield* tableOf("audit_seals", columns)

  return SealStore.of({
    insert: (seal) => execute(sql`${seals.insertion([seal])} on conflict (company_id, day) do nothing`),
    last: (companyId) =>
      first(seals.select(sql`from audit_seals where company_id = ${companyId} order by day desc limit 1`)),
    list: (companyId, after, limit) =>
      seals.select(sql`
        from audit_seals where company_id = ${companyId} and day > ${after ?? ""} order by day limit ${limit}`),
    kept: (companyId, day, limit) =>
      seals.select(sql`
        from audit_seals where company_id = ${companyId} and day < ${day} and pruned is null
        order by day limit ${limit}`),
    mark: (marked) =>
      Effect.forEach(marked, (seal) => seals.update(seal, ["pruned"], ["companyId", "day"]), {
        discard: true
      })
  })
}).pipe(Layer.effect(SealStore))
