/**
 * Stores previews in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { maxPreviews, type Preview, PreviewStore } from "../../core/ports/PreviewStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { execute, first } from "./sql/results.ts"
import { pruneOldest, tableOf } from "./sql/tables.ts"

const columns = columnsOf<Preview>({
  id: "uuid",
  accountId: "uuid",
  owner: "text",
  html: "text",
  expiresAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const table = yield* tableOf("previews", columns)

  return PreviewStore.of({
    insert: (preview) =>
      Effect.andThen(
        table.insertMany([preview]),
        execute(sql`
          delete from previews where account_id = ${preview.accountId} and id = any(array(
            select id from previews where account_id = ${preview.accountId} and owner = ${preview.owner}
            order by expires_at desc, id desc offset ${maxPreviews}
          ))`)
      ),
    find: (accountId, id, owner) =>
      first(
        table.select(sql`from previews where account_id = ${accountId} and id = ${id} and owner = ${owner}`)
      ),
    clear: (accountId) => execute(sql`delete from previews where account_id = ${accountId}`),
    prune: (before, limit) => pruneOldest(sql, "previews", "expires_at", before, limit)
  })
}).pipe(Layer.effect(PreviewStore))
