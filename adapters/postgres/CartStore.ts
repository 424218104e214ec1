/**
 * Carts of connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Cart } from "../../core/model/Cart.ts"
import { CartStore } from "../../core/ports/CartStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"

const cartColumns = columnsOf({
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
} satisfies Record<keyof Cart, string>)

const toCart = (row: object): Cart => cartColumns.decode<Cart>(row)

/** Upserts, which take rows by their key and in one order; a row that is not as it was read refuses the write. */
const writeStatement = (accountId: string, carts: ReadonlyArray<Cart>) => {
  const parameters: Array<unknown> = [accountId]
  const parameter = (value: unknown): string => `$${parameters.push(value)}`
  const { from, values } = cartColumns.unnest(carts, parameter)
  const expected = `${parameter(carts.length)}::int`
  const text = `
    with written as (
      insert into carts as c (account_id, ${cartColumns.names}) select $1::uuid, ${values} from ${from} order by id
      on conflict (account_id, id) do update set ${cartColumns.assigned("c", () => "true")}
      where c.version = excluded.version - 1 returning (xmax <> 0) = (version > 1) as fits
    )
    select svc_conflict('carts_version') from (select count(*) as rows from written where fits) w
    where w.rows <> ${expected}`
  return { text, parameters }
}

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  CartStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(cartColumns.selected("c"))

    return CartStore.of({
      find: (accountId, storeId, externalIds) =>
        externalIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${columns} from (select distinct unnest(${externalIds}::text[]) as key) k cross join lateral (
                  select * from carts
                  where account_id = ${accountId} and store_id = ${storeId} and external_id = k.key limit 1
                ) c`),
              (rows) => rows.map(toCart)
            ),
      ofContacts: (accountId, storeId, contactIds) =>
        contactIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${columns} from (select distinct unnest(${contactIds}::uuid[]) as key) k cross join lateral (
                  select * from carts
                  where account_id = ${accountId} and contact_id = k.key and store_id = ${storeId}
                    and closed_at is null
                  order by id offset 0
                ) c`),
              (rows) => rows.map(toCart)
            ),
      get: (accountId, ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql`
                select ${columns} from (select distinct unnest(${ids}::uuid[]) as key) k cross join lateral (
                  select * from carts where account_id = ${accountId} and id = k.key limit 1
                ) c`),
              (rows) => rows.map(toCart)
            ),
      write: (accountId, carts) =>
        Effect.suspend(() => {
          if (carts.length === 0) return Effect.void
          const { parameters, text } = writeStatement(accountId, carts)
          return Effect.asVoid(orConflict(sql.unsafe(text, parameters)))
        }),
      erase: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.succeed([])
          : Effect.map(
              orUnavailable(sql<{ readonly id: string }>`
                delete from carts
                where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[]) returning id`),
              (rows) => rows.map((row) => row.id)
            ),
      eraseStore: (accountId, storeId, limit) =>
        orUnavailable(sql<Pick<Cart, "contactId" | "id">>`
          delete from carts where ctid = any(array(
            select ctid from carts
            where account_id = ${accountId} and store_id = ${storeId} and external_id is not null
            order by account_id, store_id, external_id limit ${limit} for update
          )) returning id, contact_id as "contactId"`)
    })
  })
)
