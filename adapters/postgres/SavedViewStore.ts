/**
 * Stores saved views in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SavedView } from "../../core/model/SavedView.ts"
import { SavedViewStore } from "../../core/ports/SavedViewStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute, first } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<SavedView>({
  id: "uuid",
  accountId: "uuid",
  owner: "text",
  name: "text",
  list: "text",
  query: "jsonb",
  columns: "jsonb",
  shared: "boolean",
  createdBy: "jsonb",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const views = yield* tableOf("saved_views", columns)

  return SavedViewStore.of({
    insert: (added) => views.insertMany([added]),
    get: (accountId, id) =>
      first(views.select(sql`from saved_views where account_id = ${accountId} and id = ${id}`)),
    save: (changed) =>
      Effect.asVoid(views.update(changed, ["name", "query", "columns", "shared"], ["accountId", "id"])),
    remove: (accountId, id) =>
      execute(sql`delete from saved_views where account_id = ${accountId} and id = ${id}`),
    count: (accountId, owner, list) =>
      countOf(sql`
        select count(*)::int as count from saved_views
        where account_id = ${accountId} and owner = ${owner} and list = ${list}`),
    list: (accountId, owner, lists, page) =>
      views.page(
        page,
        sql.and([
          sql`account_id = ${accountId}`,
          sql`(owner = ${owner} or shared)`,
          lists === null ? sql`true` : sql`list = any(${lists}::text[])`
        ])
      )
  })
}).pipe(Layer.effect(SavedViewStore))
