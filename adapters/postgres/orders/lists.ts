/**
 * Statements that list orders. A list is made of the ranges of one index, one for each store and status: each gives its
 * newest, and of those the newest are the page.
 *
 * @module
 */
import type { OrderFilter } from "../../../core/ports/OrderStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { searchParts } from "./parts.ts"
import { dayOf, orderColumns } from "./statements.ts"

/** Before any order. */
const firstTime = "-infinity"

const timeOf = (since: number | null): string => (since === null ? firstTime : new Date(since).toISOString())

/** The stores of $1, or the one of `store`. */
const stores = (store: string): string =>
  `(select id from stores where account_id = $1::uuid and (${store}::uuid is null or id = ${store}::uuid))`

/** The newest orders of a filter that were placed before `end`, `skipped` of them left out. */
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
 * As `pageText`. The counts of days tell which day the page begins in, so that newer ones need not be read; a filter's
 * oldest day may be counted with orders older than it shows, which are behind any page.
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

/** How many orders are read and left out before the counts of days are asked where a page begins. */
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

/** How the texts are found that a search looks at. */
type SearchKind = "All" | "ByParts" | "ByOnePart"

/** How many of the newest texts tell which parts of a search are common, and how many make one so. */
const sampled = 100
const common = 10

/**
 * The parts to look for: the rarest among the newest texts, and others that are not common. A common one would cost the
 * index more than looking at what the others find.
 */
const chosenParts = `
  (select string_agg(query, ' & ')::tsquery from (
    select p.query, h.hits, row_number() over (order by h.hits, p.query) as place
    from unnest($8::text[], $9::text[]) as p(part, query) cross join lateral (
      select count(*) as hits from (
        select text from order_texts where account_id = $1::uuid order by account_id desc, order_id desc
        limit ${sampled}
      ) s where strpos(s.text, p.part) > 0
    ) h
  ) p where place = 1 or (place <= 4 and hits < ${common}))`

/**
 * $1 account, $2 store, $3 statuses, $4 since, $5 page size, $6 offset, $7 search or the query of its one part, $8 its
 * parts and $9 their queries where it has several: these find texts, which themselves decide. `is true` keeps the account
 * from being looked up in the primary key, which would read all its orders.
 */
const searchText = (kind: SearchKind): string => `
  with found as materialized (
    select order_id as id, placed_at from order_texts where ${
      {
        All: `account_id = $1::uuid and strpos(text, $7::text) > 0`,
        ByParts: `svc_order_parts(account_id, text) @@ ${chosenParts} and (account_id = $1::uuid) is true
          and strpos(text, $7::text) > 0`,
        ByOnePart: `svc_order_parts(account_id, text) @@ $7::tsquery and (account_id = $1::uuid) is true`
      }[kind]
    }
      and status = any($3::text[]) and placed_at >= $4::timestamptz and ($2::uuid is null or store_id = $2::uuid)
  )
  select c.matches, p.* from (select count(*)::int as matches from found) c
  left join lateral (
    select ${orderColumns.selected("o")} from (
      select id from found order by placed_at desc, id desc limit $5::int offset $6::int
    ) f cross join lateral (select * from orders where account_id = $1::uuid and id = f.id limit 1) o
  ) p on true
  order by p."placedAt" desc, p.id desc`

const searchTexts: Readonly<Record<SearchKind, string>> = {
  All: searchText("All"),
  ByParts: searchText("ByParts"),
  ByOnePart: searchText("ByOnePart")
}

/** A page of the orders of a filter with a search, each row with the total. */
export const searchStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  search: string,
  page: PageRequest
) => {
  const found = searchParts(accountId, search)
  const parameters = [accountId, storeId, statuses, timeOf(since), page.pageSize, offsetOf(page)]
  if (found === null) return { text: searchTexts.All, parameters: [...parameters, search] }
  const { isExact, parts, queries } = found
  return isExact
    ? { text: searchTexts.ByOnePart, parameters: [...parameters, queries[0]] }
    : { text: searchTexts.ByParts, parameters: [...parameters, search, parts, queries] }
}
