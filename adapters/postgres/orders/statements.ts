/**
 * Builds the statements that find, write and erase orders.
 *
 * @module
 */
import type { Order } from "../../../core/model/Order.ts"
import { searchText } from "../../../core/commerce/orders/Orders.ts"
import type { OrderChange } from "../../../core/ports/OrderStore.ts"
import { columnsOf } from "../sql/columns.ts"
import { WriteStatement } from "../sql/WriteStatement.ts"

/** The columns of an order. */
export const orderColumns = columnsOf<Order>({
  id: "uuid",
  storeId: "uuid",
  externalId: "text",
  number: "text",
  status: "text",
  currency: "text",
  total: "numeric",
  email: "text",
  customerName: "text",
  contactId: "uuid",
  placedAt: "timestamptz",
  paidAt: "timestamptz",
  lineCount: "integer",
  lines: "jsonb",
  reached: "jsonb",
  sourceUpdatedAt: "timestamptz",
  version: "integer"
})

interface DayCount {
  readonly storeId: string
  readonly status: string
  readonly day: number
  readonly orders: number
}

const countColumns = columnsOf<DayCount>({
  storeId: "uuid",
  status: "text",
  day: "integer",
  orders: "bigint"
})

type OrderText = Pick<Order, "placedAt" | "status" | "storeId"> & {
  readonly orderId: string
  readonly text: string
}

const textColumns = columnsOf<OrderText>({
  orderId: "uuid",
  storeId: "uuid",
  status: "text",
  placedAt: "timestamptz",
  text: "text"
})

const dayMillis = 86_400_000

/** The UTC day of a time, in days since 1970. */
export const dayOf = (millis: number): number => Math.floor(millis / dayMillis)

/**
 * The orders of a store with given external ids. The limit makes each a look-up by key, whatever the planner's statistics.
 */
export const findStatement = (accountId: string, storeId: string, externalIds: ReadonlyArray<string>) => ({
  text: `
    select ${orderColumns.selected("o")} from (select distinct unnest($3::text[]) as key) k cross join lateral (
      select * from orders where account_id = $1::uuid and store_id = $2::uuid and external_id = k.key limit 1
    ) o`,
  parameters: [accountId, storeId, externalIds]
})

/** An order by its id. */
export const getStatement = (accountId: string, id: string) => ({
  text: `
    select ${orderColumns.selected("o")} from orders o where account_id = $1::uuid and id = $2::uuid limit 1`,
  parameters: [accountId, id]
})

/** Orders of a store, in the order of the index that finds them. */
export const ofStoreStatement = (accountId: string, storeId: string, limit: number) => ({
  text: `
    select ${orderColumns.selected("o")} from orders o
    where account_id = $1::uuid and store_id = $2::uuid and external_id is not null
    order by account_id, store_id, external_id limit $3::int`,
  parameters: [accountId, storeId, limit]
})

/** The changes to the counts by day. */
const countsOf = (changes: ReadonlyArray<OrderChange>): ReadonlyArray<DayCount> => {
  const counts = new Map<string, DayCount>()
  const add = (order: Order | null, by: number) => {
    if (order === null) return
    const { placedAt, status, storeId } = order
    const day = dayOf(placedAt)
    const key = `${storeId} ${status} ${day}`
    const before = counts.get(key)?.orders ?? 0
    counts.set(key, { storeId, status, day, orders: before + by })
  }
  for (const { after, before } of changes) {
    add(before, -1)
    add(after, 1)
  }
  return [...counts.values()].filter((count) => count.orders !== 0)
}

/** Deletes the texts of the orders in a common table expression. */
const deleteTexts = (orders: string) => `
  delete from order_texts where ctid = any(array(
    select t.place from ${orders} cross join lateral (
      select ctid as place from order_texts where account_id = $1::uuid and order_id = ${orders}.id limit 1
    ) t
  ))`

/** The statement of a write. The counts come last, because all writers of the store share their rows. */
export const writeStatement = (accountId: string, changes: ReadonlyArray<OrderChange>) => {
  const statement = new WriteStatement(accountId)
  const { parameter } = statement
  const inserts = changes.flatMap(({ after, before }) => (before === null && after !== null ? [after] : []))
  const updates = changes.flatMap(({ after, before }) => (before !== null && after !== null ? [after] : []))
  const removed = changes.flatMap(({ after, before }) => (before !== null && after === null ? [before] : []))
  // An unchanged text is sent as the empty string, which is never a text.
  const texts = changes.flatMap(({ after, before }) => {
    if (after === null) return []
    const { id: orderId, placedAt, status, storeId } = after
    const searched = searchText(after)
    const text = before !== null && searchText(before) === searched ? "" : searched
    return [{ orderId, storeId, status, placedAt, text }]
  })

  if (updates.length > 0) statement.update("orders", orderColumns, updates)
  if (inserts.length > 0) {
    statement.part(
      "inserted",
      `${statement.insertion("orders", orderColumns, inserts)} order by r."externalId" collate "C"`
    )
  }
  if (removed.length > 0) {
    const ids = parameter(removed.map((order) => order.id))
    const versions = parameter(removed.map((order) => order.version))
    statement.part(
      "removed",
      `delete from orders where ctid = any(array(
        select o.place from (
          select * from rows from (unnest(${ids}::uuid[]), unnest(${versions}::int[])) as r(id, version) order by id
        ) r cross join lateral (
          select ctid as place from orders
          where account_id = $1::uuid and id = r.id and version = r.version limit 1 for update
        ) o
      )) returning id`
    )
    statement.expect("orders_version", "removed", removed.length)
    statement.part("unindexed", deleteTexts("removed"))
  }
  if (texts.length > 0) {
    const given = parameter(textColumns.encode(texts))
    statement.part(
      "written",
      `insert into order_texts as t (account_id, ${textColumns.names}) select $1::uuid, ${textColumns.fields}
      from json_to_recordset(${given}::json) as r(${textColumns.recordset}) order by "orderId"
      on conflict (account_id, order_id) do update set ${textColumns.replaced(["status", "placedAt"])},
        text = case when excluded.text = '' then t.text else excluded.text end`
    )
  }
  const counts = countsOf(changes)
  if (counts.length > 0) {
    statement.part(
      "counted",
      `${statement.insertion("order_counts as c", countColumns, counts)}
      order by r."storeId", r.status collate "C", r.day
      on conflict (account_id, store_id, status, day) do update set orders = c.orders + excluded.orders`
    )
  }
  return statement
}

/** The totals of contacts. The order is that of the only index that finds them, so that no plan uses another. */
export const totalsStatement = (accountId: string, contactIds: ReadonlyArray<string>) => ({
  text: `
    select k.id as "contactId", o.count::int as "orderCount", o.sum as "totalSpent", o.last as "lastOrderAt"
    from unnest($2::uuid[]) as k(id) cross join lateral (
      select count(*), sum(total), max(placed_at) as last from (
        select total, placed_at from orders
        where account_id = $1::uuid and contact_id = k.id and status in ('Paid', 'Completed')
        order by placed_at offset 0
      ) bought
    ) o where o.count > 0`,
  parameters: [accountId, contactIds]
})

/** The orders of contacts placed since a time, without drafts, in the order of the index that finds them. */
export const placedByStatement = (accountId: string, contactIds: ReadonlyArray<string>, since: number) => ({
  text: `
    select ${orderColumns.selected("o")} from (select distinct unnest($2::uuid[]) as id) k cross join lateral (
      select * from orders
      where account_id = $1::uuid and contact_id = k.id and placed_at >= $3::timestamptz and status <> 'Draft'
      order by placed_at offset 0
    ) o`,
  parameters: [accountId, contactIds, new Date(since).toISOString()]
})

/** Removes the orders of contacts, their texts, and their contributions to the counts. */
export const eraseStatement = (accountId: string, contactIds: ReadonlyArray<string>) => ({
  text: `
    with gone as (
      delete from orders where ctid = any(array(
        select o.place from (select distinct unnest($2::uuid[]) as id order by id) k cross join lateral (
          select ctid as place from orders
          where account_id = $1::uuid and contact_id = k.id order by placed_at for update
        ) o
      )) returning id, store_id, status, placed_at
    ), unindexed as (${deleteTexts("gone")})
    insert into order_counts as c (account_id, store_id, status, day, orders)
    select $1::uuid, store_id, status, floor(extract(epoch from placed_at) / 86400)::int as day, - count(*) from gone
    group by 2, 3, 4 order by 2, 3, 4
    on conflict (account_id, store_id, status, day) do update set orders = c.orders + excluded.orders`,
  parameters: [accountId, contactIds]
})
