/**
 * Builds statements that list orders without a search. A list merges ranges of one index, one for each store and status: the
 * newest orders of each range are read, and the newest of these are the page.
 *
 * @module
 */
import type { OrderFilter } from "../../../core/ports/OrderStore.ts"
import { isAscending, offsetOf, type PageRequest, type TimeRange } from "../../../core/shared/Page.ts"
import { dayOf, orderColumns } from "./statements.ts"

/** The times of a filter as one parameter: the beginning and the end. */
export const timesOf = ({ since = null, until = null }: TimeRange): ReadonlyArray<string> => [
  since === null ? "-infinity" : new Date(since).toISOString(),
  until === null ? "infinity" : new Date(until).toISOString()
]

/** The beginning and the end in the parameter of {@link timesOf}, which is $4 in every statement. */
export const begin = "($4::timestamptz[])[1]"
export const end = "($4::timestamptz[])[2]"

/** All stores of $1, or only `store`. */
export const stores = (store: string): string =>
  `(select id from stores where account_id = $1::uuid and (${store}::uuid[] is null or id = any(${store}::uuid[])))`

type Direction = "asc" | "desc"

/** The value of an order by which a list is sorted, before the id. */
const placedAt = "placed_at"
const name = `(svc_order_name(number) collate "C")`

/**
 * The first orders of a filter that were placed before `before`, after skipping `skipped` of them.
 *
 * @param behind the condition of the orders after the cursor
 * @param walked how the orders of a store and status are found: with an index in the order of the list, or by their times
 * @param times the condition on times. If another index provides the order, no index serves it: the planner expects it to
 *   match few rows
 */
const ordered = (
  before: string,
  skipped: string,
  direction: Direction = "desc",
  behind = "true",
  by = placedAt,
  walked: "InOrder" | "ByTime" = "InOrder",
  times = `placed_at >= ${begin} and placed_at < ${before}`
): string => {
  const found = `select id, ${by} as place from orders
      where account_id = $1::uuid and store_id = s.id and status = k.status and ${times} and ${behind}`
  return `
  select ${orderColumns.selected("o")} from (
    select p.id, p.place from ${stores("$2")} s cross join unnest($3::text[]) as k(status) cross join lateral (
      ${
        walked === "InOrder"
          ? `${found} order by ${by} ${direction}, id ${direction} limit $5::bigint + ${skipped}`
          : `${found} offset 0`
      }
    ) p order by p.place ${direction}, p.id ${direction} limit $5::bigint offset ${skipped}
  ) p cross join lateral (select * from orders where account_id = $1::uuid and id = p.id limit 1) o
  order by p.place ${direction}, p.id ${direction}`
}

/** $1 account, $2 stores, $3 statuses, $4 times, $5 page size, $6 offset. */
const pageTexts = { asc: ordered(end, "$6::bigint", "asc"), desc: ordered(end, "$6::bigint") }

/** As `pageTexts`. $6 and $7 are the cursor, the values of the last order before the page. */
const behindTexts = {
  asc: ordered(end, "0", "asc", "(placed_at, id) > ($6::timestamptz, $7::uuid)"),
  desc: ordered(end, "0", "desc", "(placed_at, id) < ($6::timestamptz, $7::uuid)")
}

/** As `pageTexts`, sorted by name. After a cursor, $6 is its name and $7 its id. */
const namedText = (
  direction: Direction,
  isBehind: boolean,
  walked: "InOrder" | "ByTime",
  isOfSomeTime: boolean
): string =>
  ordered(
    end,
    isBehind ? "0" : "$6::bigint",
    direction,
    isBehind ? `(${name}, id) ${direction === "asc" ? ">" : "<"} ($6::text collate "C", $7::uuid)` : "true",
    name,
    walked,
    walked === "ByTime"
      ? undefined
      : isOfSomeTime
        ? `case when placed_at >= ${begin} then placed_at < ${end} end`
        : "$4::timestamptz[] is not null"
  )

/**
 * As `pageTexts`. The counts by day show on which day the page begins, so that newer orders are not read. On the oldest day of
 * the filter they may count orders that are too old for it, but these come after any page.
 */
const deepPageText = `
  with days as materialized (
    select c.day, sum(c.orders) as orders from ${stores("$2")} s cross join unnest($3::text[]) as k(status)
    cross join lateral (
      select day, orders from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status order by day
    ) c group by c.day
  ), start as materialized (
    select to_timestamp((day + 1) * 86400.0) as ends, ($6::bigint - newer)::bigint as skipped from (
      select day, sum(orders) over (order by day desc) - orders as newer from days
    ) d where newer <= $6::bigint order by day limit 1
  )
  select p.* from start cross join lateral (${ordered("start.ends", "start.skipped")}) p
  order by p."placedAt" desc, p.id desc`

/** From this number of skipped orders, the counts by day are used to find the beginning of a page. */
const maxSkipped = 1000

/** Up to this many orders in a time range are sorted by name. With more, the index by name is walked and others are skipped. */
const maxSorted = 10_000

/**
 * A page of the orders of a filter without a search, plus one more order.
 *
 * @param total the number of orders that match the filter
 */
export const pageStatement = (accountId: string, filter: OrderFilter, page: PageRequest, total: number) => {
  const direction = isAscending(page) ? "asc" : "desc"
  const given = [accountId, filter.storeId, filter.statuses, timesOf(filter), page.pageSize + 1]
  const after = page.after ?? null
  const offset = offsetOf(page)
  if (page.sort?.by === "name") {
    const isOfSomeTime = (filter.since ?? null) !== null || (filter.until ?? null) !== null
    return {
      text: namedText(
        direction,
        after !== null,
        isOfSomeTime && total <= maxSorted ? "ByTime" : "InOrder",
        isOfSomeTime
      ),
      parameters: [...given, ...(after ?? [offset])]
    }
  }
  if (after !== null) {
    const [placed, id] = after as readonly [number, string]
    return { text: behindTexts[direction], parameters: [...given, new Date(placed).toISOString(), id] }
  }
  const isDeep = offset > maxSkipped && direction === "desc" && (filter.until ?? null) === null
  return { text: isDeep ? deepPageText : pageTexts[direction], parameters: [...given, offset] }
}

/** $1 account, $2 stores, $3 statuses, $4 first whole day, $5 the day after the last, $6 and $7 begins and ends of the rest. */
const countText = `
  select (
    select coalesce(sum(c.orders), 0) from ${stores("$2")} s cross join unnest($3::text[]) as k(status)
    cross join lateral (
      select orders from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status and day >= $4::int and day < $5::int
      order by day
    ) c
  )::int + (
    select count(*) from ${stores("$2")} s cross join unnest($3::text[]) as k(status)
    cross join unnest($6::timestamptz[], $7::timestamptz[]) as r(begins, ends) cross join lateral (
      select from orders
      where account_id = $1::uuid and store_id = s.id and status = k.status
        and placed_at >= r.begins and placed_at < r.ends
    ) o
  )::int as total`

const dayMillis = 86_400_000
const endOfTime = Date.UTC(10_000, 0, 1)
const firstDay = -2_147_483_648
const lastDay = 2_147_483_647

/** The number of orders that match a filter without a search: counts of whole days, and the parts of the first and last day. */
export const countStatement = (
  accountId: string,
  { since = null, statuses, storeId, until = null }: OrderFilter
) => {
  const first = since === null ? firstDay : dayOf(since) + 1
  const after = until === null ? lastDay : dayOf(until)
  const rest: ReadonlyArray<readonly [number, number]> =
    since !== null && until !== null && first > after
      ? [[since, until]]
      : [
          ...(since === null ? [] : [[since, first * dayMillis] as const]),
          ...(until === null ? [] : [[after * dayMillis, until] as const])
        ]
  // No order is placed after the year 9999, the last that PostgreSQL parses in the form of ISO 8601.
  const timeOf = (millis: number) => (millis < endOfTime ? new Date(millis).toISOString() : "infinity")
  const times = (index: 0 | 1) => rest.map((range) => timeOf(range[index]))
  return {
    text: countText,
    parameters: [accountId, storeId, statuses, first, after, times(0), times(1)]
  }
}
