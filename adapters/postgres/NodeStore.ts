/**
 * Stores the running processes in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ServiceNode } from "../../core/model/Node.ts"
import { NodeStore } from "../../core/ports/NodeStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { between } from "./sql/pages.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<ServiceNode>({
  id: "uuid",
  host: "text",
  version: "text",
  runtime: "text",
  roles: "jsonb",
  startedAt: "timestamptz",
  addresses: "jsonb",
  seenAt: "timestamptz",
  eventLoopDelayMs: "double precision",
  memoryBytes: "bigint",
  heapUsedBytes: "bigint",
  heapLimitBytes: "bigint"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("nodes", columns, ["startedAt", "id"])
  const reported = columns.replaced(columns.order.filter((field) => field !== "id"))

  return NodeStore.of({
    report: (node) => table.insertMany([node], `on conflict (id) do update set ${reported}`),
    list: (seen, page) => table.page(page, between(sql, "seen_at", seen)),
    prune: (before, limit) => pruneOldest(sql, "nodes", "seen_at", before, limit)
  })
}).pipe(Layer.effect(NodeStore))
