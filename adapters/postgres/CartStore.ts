/**
 * Stores carts of connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Cart } from "../../core/model/Cart.ts"
import { CartStore } from "../../core/ports/CartStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { executeOrConflict, idsOf, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"
import { WriteStatement } from "./sql/WriteStatement.ts"

const columns = columnsOf<Cart>({
  id: "uuid",
  storeId: "uuid",
  externalId: "text",
  contactId: "uuid",
  currency: "text",
  total: "numeric",
  lineCount: "integer",
  lines: "jsonb",
  url: "text",
  content: "integer",
  changedAt: "timestamptz",
  sourceUpdatedAt: "timestamptz",
  closedAt: "timestamptz",
  abandonedContent: "integer",
  version: "integer"
})

const writeStatement = (accountId: string, written: ReadonlyArray<Cart>) => {
  const statement = new WriteStatement(accountId)
  // A new cart has version 1, so an existing row must have a higher one.
  statement.update("carts", columns, written, { found: "(xmax <> 0) = (version > 1)" })
  return statement
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const carts = yield* tableOf("carts", columns)

  return CartStore.of({
    find: (accountId, storeId, externalIds) =>
      carts
        .select(sql`
          from (select distinct unnest(${externalIds}::text[]) as key) k cross join lateral (
            select * from carts
            where account_id = ${accountId} and store_id = ${storeId} and external_id = k.key limit 1
          ) carts`)
        .pipe(ifAny(externalIds)),
    ofContacts: (accountId, storeId, contactIds) =>
      carts
        .select(sql`
          from (select distinct unnest(${contactIds}::uuid[]) as key) k cross join lateral (
            select * from carts
            where account_id = ${accountId} and contact_id = k.key and store_id = ${storeId} and closed_at is null
            order by id offset 0
          ) carts`)
        .pipe(ifAny(contactIds)),
    get: (accountId, ids) =>
      carts
        .select(sql`
          from (select distinct unnest(${ids}::uuid[]) as key) k cross join lateral (
            select * from carts where account_id = ${accountId} and id = k.key limit 1
          ) carts`)
        .pipe(ifAny(ids)),
    write: (accountId, written) =>
      Effect.suspend(() => {
        if (written.length === 0) return Effect.void
        const { parameters, text } = writeStatement(accountId, written)
        return executeOrConflict(sql.unsafe(text, parameters))
      }),
    erase: (accountId, contactIds) =>
      idsOf(sql`
        delete from carts
        where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) returning id`).pipe(
        ifAny(contactIds)
      ),
    eraseStore: (accountId, storeId, limit) =>
      orUnavailable(sql<Pick<Cart, "contactId" | "id">>`
        delete from carts where ctid = any(array(
          select ctid from carts
          where account_id = ${accountId} and store_id = ${storeId} and external_id is not null
          order by account_id, store_id, external_id limit ${limit} for update
        )) returning id, contact_id as "contactId"`)
  })
}).pipe(Layer.effect(CartStore))
