/**
 * Stores images in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Image } from "../../core/model/Image.ts"
import { ImageStore } from "../../core/ports/ImageStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { countOf, execute, first, idsOf, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Image>({
  id: "uuid",
  accountId: "uuid",
  key: "text",
  name: "text",
  type: "text",
  width: "integer",
  height: "integer",
  bytes: "integer",
  hash: "text",
  createdAt: "timestamptz",
  createdBy: "jsonb"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const images = yield* tableOf("images", columns)

  return ImageStore.of({
    insert: (image) => images.insertOrConflict([image]),
    get: (accountId, id) =>
      first(images.select(sql`from images where account_id = ${accountId} and id = ${id}`)),
    newest: first(images.select(sql`from images order by id desc limit 1`)),
    ofHash: (accountId, hash) =>
      first(images.select(sql`from images where account_id = ${accountId} and hash = ${hash}`)),
    ofKey: (accountId, key) =>
      first(images.select(sql`from images where account_id = ${accountId} and key = ${key}`)),
    recorded: (accountId, given) =>
      idsOf(sql`select id from images where account_id = ${accountId} and id = any(${given}::uuid[])`).pipe(
        ifAny(given)
      ),
    count: (accountId) =>
      countOf(sql`select count(*)::int as count from images where account_id = ${accountId}`),
    remove: (accountId, id) =>
      execute(sql`delete from images where account_id = ${accountId} and id = ${id}`),
    list: (accountId, page) => images.page(page, sql`account_id = ${accountId}`)
  })
}).pipe(Layer.effect(ImageStore))
