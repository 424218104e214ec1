/**
 * Statements that search orders: one takes a sample, by which `planSearch` chooses how the other one finds the page.
 *
 * @module
 */
import { maxSearchTotal, type OrderFilter } from "../../../core/ports/OrderStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { stores, timeOf } from "./lists.ts"
import { partsQuery, searchParts } from "./parts.ts"
import {
  newestSampled,
  type SampleCounts,
  sampledAtPlace,
  type SearchPlan,
  spacedPlaces
} from "./searchPlan.ts"
import { orderColumns } from "./statements.ts"

const fits = `status = any($3::text[]) and placed_at >= $4::timestamptz and ($2::uuid is null or store_id = $2::uuid)`

const sampledColumns = `order_id, placed_at, text, (${fits}) as fits, strpos(text, $5::text) > 0 as found`

/** What a sample is counted by; `places` are where those are that were found. */
const counted = (sample: string, places: string): string => `
  select count(*)::int as rows, (count(*) filter (where placed_at >= $4::timestamptz))::int as late,
    (count(*) filter (where fits))::int as fitting,
    (count(*) filter (where found))::int as containing, (count(*) filter (where fits and found))::int as found,
    array(
      select (select count(*) from ${sample} where strpos(text, p.part) > 0)::int
      from unnest($6::text[]) with ordinality as p(part, place) order by p.place
    ) as parts,
    ${places} as places
  from ${sample}`

/**
 * $1 account, $2 store, $3 statuses, $4 since, $5 search, $6 its parts. An order of a time far off takes most of the places
 * between the newest and the oldest, but counts once.
 */
const sampleText = `
  with newest as materialized (
    select ${sampledColumns} from order_texts where account_id = $1::uuid
    order by placed_at desc, order_id desc limit ${newestSampled}
  ), span as materialized (
    select (select placed_at from newest order by placed_at desc limit 1) as last, (
      select placed_at from order_texts where account_id = $1::uuid order by placed_at, order_id limit 1
    ) as first
  ), spaced as materialized (
    select distinct on (order_id) t.*, g.place
    from span cross join generate_series(0, ${spacedPlaces - 1}) as g(place) cross join lateral (
      select ${sampledColumns} from order_texts
      where account_id = $1::uuid
        and placed_at <= span.last - (span.last - span.first) * (g.place / ${spacedPlaces}::float8)
      order by placed_at desc, order_id desc limit ${sampledAtPlace}
    ) t order by order_id, g.place
  ), newest_counted as (${counted("newest", "array[]::int[]")}
  ), spaced_counted as (${counted(
    "spaced",
    "array(select place from spaced where found and place > 0 order by place)"
  )}
  )
  select (select to_json(n) from newest_counted n) as newest, (select to_json(s) from spaced_counted s) as spaced,
    cardinality($3::text[]) * (select count(*) from ${stores("$2")} s)::int as ranges`

/** What `sampleStatement` answers, in one row. */
export interface SearchSample {
  readonly newest: SampleCounts
  readonly spaced: SampleCounts
  readonly ranges: number
}

/** A sample of the account's orders, and what there is in it of the filter. */
export const sampleStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  search: string
) => ({
  text: sampleText,
  parameters: [accountId, storeId, statuses, timeOf(since), search, searchParts(search)]
})

/**
 * The texts found. `is true` keeps the index of parts the only one: the account and the time would be looked up in another,
 * which would read all its orders.
 */
const found: Readonly<Record<SearchPlan["way"], string>> = {
  Parts: `
    select order_id as id, placed_at from order_texts
    where svc_order_parts(account_id, text) @@ $9::tsquery and (account_id = $1::uuid) is true
      and ($10::boolean or strpos(text, $7::text) > 0) and status = any($3::text[]) and (placed_at >= $4::timestamptz) is true
      and ($2::uuid is null or store_id = $2::uuid)`,
  Newest: `
    select order_id as id, placed_at from order_texts
    where account_id = $1::uuid and strpos(text, $7::text) > 0 and ${fits}
    order by placed_at desc, order_id desc limit $8::int`,
  Ranges: `
    select r.id, r.placed_at from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      select o.id, o.placed_at from orders o cross join lateral (
        select from order_texts where account_id = $1::uuid and order_id = o.id and strpos(text, $7::text) > 0 limit 1
      ) t
      where o.account_id = $1::uuid and o.store_id = s.id and o.status = k.status and o.placed_at >= $4::timestamptz
      order by o.placed_at desc, o.id desc limit $8::int
    ) r`
}

/**
 * $1 account, $2 store, $3 statuses, $4 since, $5 page size, $6 offset, $7 search, $8 highest total, $9 query of parts, $10
 * whether it finds the search and nothing else.
 */
const pageText = (way: SearchPlan["way"]): string => `
  with found as materialized (${found[way]})
  select c.matches, p.* from (select count(*)::int as matches from (select from found limit $8::int) f) c
  left join lateral (
    select ${orderColumns.selected("o")} from (
      select id from found order by placed_at desc, id desc limit $5::int offset $6::int
    ) f cross join lateral (select * from orders where account_id = $1::uuid and id = f.id limit 1) o
  ) p on true
  order by p."placedAt" desc, p.id desc`

const pageTexts: Readonly<Record<SearchPlan["way"], string>> = {
  Parts: pageText("Parts"),
  Newest: pageText("Newest"),
  Ranges: pageText("Ranges")
}

/** A page of the orders of a filter with a search, each row with the total. */
export const searchStatement = (
  accountId: string,
  { since, statuses, storeId }: OrderFilter,
  search: string,
  page: PageRequest,
  plan: SearchPlan
) => ({
  text: pageTexts[plan.way],
  parameters: [
    accountId,
    storeId,
    statuses,
    timeOf(since),
    page.pageSize,
    offsetOf(page),
    search,
    maxSearchTotal(page),
    ...(plan.way === "Parts" ? [partsQuery(accountId, plan.parts), plan.parts[0] === search] : [])
  ]
})
