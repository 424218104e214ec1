/**
 * Statements that list orders. A list is made of the ranges of one index, one for each store and status: each gives its
 * newest, and of those the newest are the page.
 *
 * @module
 */
import type { OrderFilter } from "../../../core/ports/OrderStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { partsOfSearch } from "./parts.ts"
import { dayOf, orderColumns } from "./statements.ts"

/** Before any order. */
const firstTime = "-infinity"

const timeOf = (since: number | null): string => (since === null ? firstTime : new Date(since).toISOString())

/** The stores of $1, or the one of `store`. */
const stores = (store: string): string =>
  `(select id from stores where account_id = $1::uuid and (${store}::uuid is null or id = ${store}::uuid))`

/** $1 account, $2 store, $3 statuses, $4 since, $5 page size, $6 offset. */
const pageText = `
  select ${orderColumns.selected("o")} from (
    select p.id, p.placed_at from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      select id, placed_at from orders
      where account_id = $1::uuid and store_id = s.id and status = k.status and placed_at >= $4::timestamptz
      order by placed_at desc, id desc limit $5::int + $6::int
    ) p order by p.placed_at desc, p.id desc limit $5::int offset $6::int
  ) p cross join lateral (select * from orders where account_id = $1::uuid and id = p.id limit 1) o
  order by o.placed_at desc, o.id desc`

/** A page of the orders of a filter without a search. */
export const pageStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  page: PageRequest
) => ({
  text: pageText,
  parameters: [accountId, storeId, statuses, timeOf(since), page.pageSize, offsetOf(page)]
})

/** $1 account, $2 store, $3 statuses, $4 first whole day, $5 since, $6 end of its day. */
const countText = `
  select (
    select coalesce(sum(c.orders), 0) from ${stores("$2")} s cross join unnest($3::text[]) as k(status)
    cross join lateral (
      select orders from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status and day >= $4::int
      order by day
    ) c
  )::int + (
    select count(*) from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      select from orders
      where account_id = $1::uuid and store_id = s.id and status = k.status
        and placed_at >= $5::timestamptz and placed_at < $6::timestamptz
    ) o
  )::int as total`

const dayMillis = 86_400_000
const firstDay = -2_147_483_648

/** How many orders a filter without a search has: whole days as they were counted, and what is left of the first. */
export const countStatement = (accountId: string, { since, statuses, storeId }: OrderFilter) => {
  const day = since === null ? firstDay : dayOf(since) + 1
  return {
    text: countText,
    parameters: [
      accountId,
      storeId,
      statuses,
      day,
      timeOf(since),
      since === null ? firstTime : new Date(day * dayMillis).toISOString()
    ]
  }
}

/**
 * $1 account, $2 store, $3 statuses, $4 since, $5 page size, $6 offset, $7 search, and $8 its parts where it has some.
 * The parts find the texts, and the texts themselves decide. `is true` keeps the account from being looked up in the
 * primary key, which would read all its orders.
 */
const searchText = (hasParts: boolean): string => `
  with found as materialized (
    select order_id as id, placed_at from order_texts
    where ${hasParts ? `parts @> $8::int[] and (account_id = $1::uuid) is true` : `account_id = $1::uuid`}
      and strpos(text, $7::text) > 0 and status = any($3::text[]) and placed_at >= $4::timestamptz
      and ($2::uuid is null or store_id = $2::uuid)
  )
  select c.matches, p.* from (select count(*)::int as matches from found) c
  left join lateral (
    select ${orderColumns.selected("o")} from (
      select id from found order by placed_at desc, id desc limit $5::int offset $6::int
    ) f cross join lateral (select * from orders where account_id = $1::uuid and id = f.id limit 1) o
  ) p on true
  order by p."placedAt" desc, p.id desc`

const searchByParts = searchText(true)
/** A single character is in so many texts that an index would find no fewer. */
const searchOfAll = searchText(false)

/** A page of the orders of a filter with a search, each row with the total. */
export const searchStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  search: string,
  page: PageRequest
) => {
  const parts = partsOfSearch(accountId, search)
  const parameters = [accountId, storeId, statuses, timeOf(since), page.pageSize, offsetOf(page), search]
  return parts.length === 0
    ? { text: searchOfAll, parameters }
    : { text: searchByParts, parameters: [...parameters, parts] }
}
