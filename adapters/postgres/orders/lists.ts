/**
 * Statements that list orders without a search. A list merges ranges of one index, one for each store and status: the
 * newest of each, and of those the newest are the page.
 *
 * @module
 */
import type { OrderFilter } from "../../../core/ports/OrderStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { dayOf, orderColumns } from "./statements.ts"

/** Before every order. */
const firstTime = "-infinity"

/** A time as a parameter; null is before every order. */
export const timeOf = (since: number | null): string =>
  since === null ? firstTime : new Date(since).toISOString()

/** The stores of $1, or only `store`. */
export const stores = (store: string): string =>
  `(select id from stores where account_id = $1::uuid and (${store}::uuid is null or id = ${store}::uuid))`

/** The newest orders of a filter that were placed before `end`, except the first `skipped`. */
const newest = (end: string, skipped: string): string => `
  select ${orderColumns.selected("o")} from (
    select p.id, p.placed_at from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      select id, placed_at from orders
      where account_id = $1::uuid and store_id = s.id and status = k.status and placed_at >= $4::timestamptz
        and placed_at < ${end}
      order by placed_at desc, id desc limit $5::int + ${skipped}
    ) p order by p.placed_at desc, p.id desc limit $5::int offset ${skipped}
  ) p cross join lateral (select * from orders where account_id = $1::uuid and id = p.id limit 1) o
  order by o.placed_at desc, o.id desc`

/** $1 account, $2 store, $3 statuses, $4 since, $5 page size, $6 offset. */
const pageText = newest(`timestamptz 'infinity'`, `$6::int`)

/**
 * As `pageText`. The counts by day tell on which day the page begins, so that newer orders are not read; the filter's
 * oldest day may count orders older than the filter allows, which are behind any page.
 */
const deepPageText = `
  with days as materialized (
    select c.day, sum(c.orders) as orders from ${stores("$2")} s cross join unnest($3::text[]) as k(status)
    cross join lateral (
      select day, orders from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status order by day
    ) c group by c.day
  ), start as materialized (
    select to_timestamp((day + 1) * 86400.0) as ends, ($6::int - newer)::int as skipped from (
      select day, sum(orders) over (order by day desc) - orders as newer from days
    ) d where newer <= $6::int order by day limit 1
  )
  select p.* from start cross join lateral (${newest("start.ends", "start.skipped")}) p
  order by p."placedAt" desc, p.id desc`

/** From how many skipped orders on the counts by day are used to find where a page begins. */
const maxSkipped = 1000

/** A page of the orders of a filter without a search. */
export const pageStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  page: PageRequest
) => ({
  text: offsetOf(page) > maxSkipped ? deepPageText : pageText,
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

/** How many orders a filter without a search has: the counts of whole days, and the rest of the first day. */
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
