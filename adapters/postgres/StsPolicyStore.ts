/**
 * Stores the MTA-STS policies of recipients' domains in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { StsPolicy } from "../../core/model/StsPolicy.ts"
import { StsPolicyStore } from "../../core/ports/StsPolicyStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<StsPolicy>({
  domain: "text",
  policyId: "text",
  mode: "text",
  mx: "jsonb",
  maxAge: "int",
  fetchedAt: "timestamptz",
  expiresAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("sts_policies", columns)

  return StsPolicyStore.of({
    find: (domain) => first(table.select(sql`from sts_policies where domain = ${domain}`)),
    save: (policy) =>
      execute(sql`${table.insertion([policy])}
        on conflict (domain) do update set
          policy_id = excluded.policy_id, mode = excluded.mode, mx = excluded.mx, max_age = excluded.max_age,
          fetched_at = excluded.fetched_at, expires_at = excluded.expires_at
        where sts_policies.fetched_at <= excluded.fetched_at`),
    prune: (before, limit) => pruneOldest(sql, "sts_policies", "expires_at", before, limit)
  })
}).pipe(Layer.effect(StsPolicyStore))
