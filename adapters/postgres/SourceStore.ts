/**
 * Sources and pools in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { MailSource, SourcePool } from "../../core/model/Source.ts"
import { SourceStore } from "../../core/ports/SourceStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<MailSource>({
  id: "uuid",
  address: "text",
  name: "text",
  pool: "text",
  mode: "text",
  isForced: "boolean",
  reverse: "jsonb",
  createdAt: "timestamptz"
})

const poolColumns = columnsOf<SourcePool>({ key: "text", name: "text", overflow: "text" })

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const sources = yield* tableOf("sources", columns)
  const pools = yield* tableOf("source_pools", poolColumns, ["key"])

  return SourceStore.of({
    all: Effect.all({
      sources: sources.select(sql`from sources order by created_at, id`),
      pools: pools.select(sql`from source_pools order by key`)
    }),
    insert: (source) => sources.insertMany([source]),
    save: (source) => Effect.asVoid(sources.update(source, ["name", "pool", "mode", "isForced"], ["id"])),
    saveReverse: (found) =>
      found.size === 0
        ? Effect.void
        : execute(sql`
            update sources set reverse = given.reverse
            from jsonb_to_recordset(${JSON.stringify(
              [...found].map(([id, reverse]) => ({ id, reverse }))
            )}::jsonb) as given(id uuid, reverse jsonb)
            where sources.id = given.id`),
    remove: (id) => execute(sql`delete from sources where id = ${id}`),
    putPool: (pool) =>
      pools.insertMany(
        [pool],
        "on conflict (key) do update set name = excluded.name, overflow = excluded.overflow"
      ),
    removePool: (key) => execute(sql`delete from source_pools where key = ${key}`)
  })
}).pipe(Layer.effect(SourceStore))
