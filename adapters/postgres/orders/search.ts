/**
 * Builds the statements that search orders. The first takes a sample, from which `planSearch` chooses how the second finds
 * the page.
 *
 * @module
 */
import { maxSearchTotal, type OrderFilter } from "../../../core/ports/OrderStore.ts"
import { offsetOf, type PageRequest } from "../../../core/shared/Page.ts"
import { groupOf, operandEnd, rangesText, searchParts } from "./keys.ts"
import { begin, end, stores, timesOf } from "./lists.ts"
import {
  newestSampled,
  type SampleCounts,
  sampledAtPlace,
  type SearchPlan,
  spacedPlaces
} from "./searchPlan.ts"
import { dayOf, orderColumns } from "./statements.ts"

const fits = `status = any($3::text[]) and placed_at >= ${begin} and placed_at < ${end}
  and ($2::uuid[] is null or store_id = any($2::uuid[]))`

const sampledColumns = `order_id, placed_at, text, (${fits} and strpos(text, $5::text) > 0) as found`

/** Counts the texts of a sample: all of them, those found, and those that contain each part of the search. */
const counted = (sample: string): string => `
  select count(*)::int as rows, (count(*) filter (where found))::int as found, array(
    select (select count(*) from ${sample} where strpos(text, p.part) > 0)::int
    from unnest($6::text[]) with ordinality as p(part, place) order by p.place
  ) as parts
  from ${sample}`

/**
 * $1 account, $2 stores, $3 statuses, $4 times, $5 search, $6 its parts, $7 the first day. An order far from all others in time
 * is the nearest one to most of the positions between the newest and the oldest order, but it counts once.
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
    select distinct on (order_id) t.*
    from span cross join generate_series(1, ${spacedPlaces - 1}) as g(place) cross join lateral (
      select ${sampledColumns} from order_texts
      where account_id = $1::uuid
        and placed_at <= span.last - (span.last - span.first) * (g.place / ${spacedPlaces}::float8)
      order by placed_at desc, order_id desc limit ${sampledAtPlace}
    ) t order by order_id
  ), counts as materialized (
    select sum(orders)::int as orders, (sum(orders) filter (where is_marked))::int as marked,
      (sum(orders) filter (where is_marked and ($2::uuid[] is null or store_id = any($2::uuid[]))))::int as fitting
    from (
      select orders, store_id, status = any($3::text[]) and day >= $7::int
        and ($2::uuid[] is null or ${groupOf("store_id")} in (
          select ${groupOf("given")} from unnest($2::uuid[]) given
        )) as is_marked
      from order_counts where account_id = $1::uuid
    ) c
  )
  select (select to_json(n) from (${counted("newest")}) n) as newest,
    (select to_json(s) from (${counted("spaced")}) s) as spaced,
    coalesce(orders, 0) as orders, coalesce(marked, 0) as marked, coalesce(fitting, 0) as fitting
  from counts`

/** The single row of `sampleStatement`. */
export interface SearchSample {
  readonly newest: SampleCounts
  readonly spaced: SampleCounts
  readonly orders: number
  readonly marked: number
  readonly fitting: number
}

const firstDay = -2_147_483_648

const dayOfSince = (since: number | null): number => (since === null ? firstDay : dayOf(since))

/** A sample of the account's orders, how many of it match the filter, and the number of orders. */
export const sampleStatement = (accountId: string, filter: OrderFilter, search: string) => ({
  text: sampleText,
  parameters: [
    accountId,
    filter.storeId,
    filter.statuses,
    timesOf(filter),
    search,
    searchParts(search),
    dayOfSince(filter.since ?? null)
  ]
})

/** The texts that are found, up to the highest total. */
const found: Readonly<Record<"Newest" | "Ranges", string>> = {
  Newest: `
    select id, placed_at from (
      select order_id as id, * from order_texts where account_id = $1::uuid and placed_at >= ${begin} and placed_at < ${end}
      order by placed_at desc, order_id desc limit $9::bigint
    ) n
    where ${fits} and strpos(text, $7::text) > 0 limit $8::bigint`,
  Ranges: `
    select r.id, r.placed_at from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      select o.id, o.placed_at from orders o cross join lateral (
        select from order_texts where account_id = $1::uuid and order_id = o.id and strpos(text, $7::text) > 0 limit 1
      ) t
      where o.account_id = $1::uuid and o.store_id = s.id and o.status = k.status and o.placed_at >= ${begin}
        and o.placed_at < ${end}
      order by o.placed_at desc, o.id desc limit $8::bigint
    ) r`
}

/**
 * $1 account, $2 stores, $3 statuses, $4 times, $5 page size, $6 offset, $7 search, $8 highest total, and for `Newest`
 * $9 the number of orders to walk.
 */
const pageText = (way: "Newest" | "Ranges"): string => `
  with found as materialized (${found[way]})
  select c.matches, p.* from (select count(*)::int as matches from (select from found limit $8::bigint) f) c
  left join lateral (
    select ${orderColumns.selected("o")} from (
      select id from found order by placed_at desc, id desc limit $5::bigint offset $6::bigint
    ) f cross join lateral (select * from orders where account_id = $1::uuid and id = f.id limit 1) o
  ) p on true
  order by p."placedAt" desc, p.id desc`

/**
 * The number of prefixes in one query. The index's pending entries are read again for each query, and each match is checked
 * against all prefixes of the query.
 */
const marksAtOnce = 5

/**
 * The texts found in a range `r`. `is true` leaves the index of keys as the only usable one; otherwise the account and the time
 * would be looked up in another index, which would read all orders of the account. The result depends on the order id, so
 * it is not cached for the same query, as that of a text would be.
 */
const inRange = `
  select t.id, t.placed_at from (
    select string_agg(o.operands, ' | ')::tsquery as query
    from unnest(r.marks) with ordinality as m(mark, place) cross join lateral (
      select string_agg('''' || m.mark || operand_end, ' & ') as operands from unnest($9::text[]) as e(operand_end)
    ) o group by m.place / ${marksAtOnce}
  ) q cross join lateral (
    select order_id as id, placed_at from order_texts
    where svc_order_keys(account_id, store_id, status, placed_at, text) @@ q.query
      and ($2::uuid[] is null or store_id = any($2::uuid[]))
      and (placed_at >= greatest(r.begins, ${begin}) and placed_at < least(r.ends, ${end})) is true
      and (account_id = $1::uuid) is true and ($10::boolean or strpos(text, $7::text) > 0)
    offset 0
  ) t`

/**
 * The first texts of a range `w` up to the end of the page, for a range in which counting stopped early. They are found by
 * walking from its newest text if that finds enough soon. Otherwise the index is used, which returns all texts of the range.
 */
const ofRange = `
  with soon as materialized (
    select n.id, n.placed_at from (
      select order_id as id, * from order_texts
      where account_id = $1::uuid and placed_at >= greatest(r.begins, ${begin}) and placed_at < least(r.ends, ${end})
        and w.total >= $8::bigint
      order by placed_at desc, order_id desc limit $12::bigint
    ) n
    where ${fits} and strpos(text, $7::text) > 0
    order by n.placed_at desc, n.id desc limit $6::bigint + $5::bigint - w.newer
  ), is_enough as materialized (
    select count(*) = $6::bigint + $5::bigint - w.newer as enough from soon
  )
  select soon.* from is_enough cross join soon where enough
  union all
  select f.* from is_enough cross join lateral (${inRange}) f where not enough`

/**
 * As `pageText`. $9 has the ends of a query's operands, $10 whether the query finds exactly the search, $11 the first day, and
 * $12 the number of texts to walk in a range. Ranges are counted newest first until there are enough texts, and those of the
 * page are read again.
 */
const partsText = `
  with recursive ranges as materialized (
    select r.*, (row_number() over (order by range desc))::int as place from (${rangesText({
      stores: stores("$2"),
      statuses: "$3",
      firstDay: "$11"
    })}) r
  ), walked as (
    select 0 as place, 0::bigint as newer, 0::bigint as total
    union all
    select r.place, w.total, w.total + (select count(*) from (${inRange} limit $8::bigint - w.total) f)
    from walked w cross join lateral (select * from ranges where place = w.place + 1 limit 1) r
    where w.total < $8::bigint
  )
  select c.matches, p.* from (select least(max(total), $8::bigint)::int as matches from walked) c
  left join lateral (
    select ${orderColumns.selected("o")} from (
      select f.id from walked w cross join lateral (select * from ranges where place = w.place limit 1) r
      cross join lateral (${ofRange}) f
      where w.total > $6::bigint and w.newer < $6::bigint + $5::bigint
      order by f.placed_at desc, f.id desc
      limit $5::bigint offset $6::bigint - (select coalesce(min(newer), $6::bigint) from walked where total > $6::bigint)
    ) f cross join lateral (select * from orders where account_id = $1::uuid and id = f.id limit 1) o
  ) p on true
  order by p."placedAt" desc, p.id desc`

const pageTexts: Readonly<Record<SearchPlan["way"], string>> = {
  Parts: partsText,
  Newest: pageText("Newest"),
  Ranges: pageText("Ranges")
}

/** The parameters that only one of the ways has. */
const behind = (plan: SearchPlan, search: string, since: number | null): ReadonlyArray<unknown> => {
  if (plan.way === "Ranges") return []
  if (plan.way === "Newest") return [plan.walked]
  return [plan.parts.map(operandEnd), plan.parts[0] === search, dayOfSince(since), plan.walked]
}

/**
 * A page of the orders of a filter with a search, plus one more order. Each row has the total. `Newest` searches only as many
 * of the newest orders as the plan says, so a total below the highest may be incomplete.
 */
export const searchStatement = (
  accountId: string,
  filter: OrderFilter,
  search: string,
  page: PageRequest,
  plan: SearchPlan
) => ({
  text: pageTexts[plan.way],
  parameters: [
    accountId,
    filter.storeId,
    filter.statuses,
    timesOf(filter),
    page.pageSize + 1,
    offsetOf(page),
    search,
    maxSearchTotal(page),
    ...behind(plan, search, filter.since ?? null)
  ]
})
