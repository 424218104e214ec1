/**
 * Reads pages of lists together with their totals, in one statement. If a list is longer than totals are counted, a second
 * statement asks the planner for an estimate.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import {
  isAscending,
  maxCounted,
  maxPageSize,
  offsetOf,
  type Page,
  pageOf,
  type PageRequest,
  type Place,
  type PlaceKind,
  type TimeRange
} from "../../../core/shared/Page.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { firstIdAt } from "../../../core/shared/Uuid.ts"
import { orUnavailable } from "./errors.ts"

/**
 * A row of a page's statement: `select c.total, p.* from (select count(*)::int as total ...) c left join lateral
 * (select ... limit ... offset ...) p on true`. On a page past the end, the only row has a total and no other values.
 */
export interface PageRow {
  /** Null if the total was not counted: see `totalOf`. */
  readonly total: number | null
  /** See `totalOf`. */
  readonly share?: number | null
}

/** For a total with several filters, the maximum number of rows found by one filter that are checked. */
export const maxLookedAt = maxCounted

/** How many rows of the list are walked before using an index that is not in the order of the list. */
const walked = 2_000

/** The size of the sample from which the share of passing rows is estimated. */
export const sampled = 1_000

/** A column by which a list is sorted. */
export interface SortColumn {
  /** The column, or an expression. */
  readonly column: string
  readonly kind: PlaceKind
}

const types: Readonly<Record<PlaceKind, string>> = {
  Count: "bigint",
  Id: "uuid",
  Text: "text",
  Time: "timestamptz"
}

/**
 * The limit of the rows read for a page: the page's own and one more, which shows whether there is a next page. Without an
 * offset, the limit is a constant, so that the planner expects few rows.
 */
export const pageLimit = (sql: SqlClient, request: PageRequest): Fragment =>
  offsetOf(request) === 0
    ? sql.literal(`limit ${maxPageSize + 1}`)
    : sql`limit ${request.pageSize + 1} offset ${offsetOf(request)}`

/** As `pageLimit`, for each of several sources that are merged into the page. */
export const sourceLimit = (sql: SqlClient, request: PageRequest): Fragment =>
  offsetOf(request) === 0
    ? sql.literal(`limit ${maxPageSize + 1}`)
    : sql`limit ${offsetOf(request) + request.pageSize + 1}`

/** The limit of the rows that are counted for the total; empty if all are counted. */
export const countLimit = (sql: SqlClient, { total }: PageRequest): Fragment =>
  sql.literal(total === "Bounded" ? `limit ${maxCounted + 1}` : "")

/**
 * The row `total, share` of a list: the number of rows of `source` that pass. For a bounded total, at most `maxLookedAt` rows
 * are checked. If there are more, `total` is null and `share` is the fraction of a sample that passes, from 0 to 1. If all
 * rows pass, at most `maxCounted` + 1 are counted.
 *
 * @param source a `select` with the given limit
 * @param passing a `select` of the passing rows among given rows, which are `(select ...)` or the name of a table; null if
 *   all rows pass
 */
export const totalOf = (
  sql: SqlClient,
  page: PageRequest,
  source: (limit: Fragment) => Fragment,
  passing: ((rows: Fragment) => Fragment) | null
): Fragment => {
  const counted = (rows: Fragment) => sql`(select count(*)::int from (${rows}) t)`
  if (passing === null || page.total !== "Bounded") {
    const all = source(countLimit(sql, page))
    const limited = sql`select * from (${all}) a ${countLimit(sql, page)}`
    return sql`select ${counted(passing === null ? limited : passing(sql`(${all})`))} as total, 1::float8 as share`
  }
  const most = sql.literal(`limit ${maxLookedAt + 1}`)
  const some = sql.literal(`(select * from seen limit ${sampled})`)
  return sql`
    with seen as materialized (
      select * from (${source(most)}) a ${most}
    ), size as materialized (
      select count(*) > ${sql.literal(`${maxLookedAt}`)} as exceeded from seen
    )
    select case when not exceeded then ${counted(passing(sql.literal("seen")))} end as total,
      case when exceeded then ${counted(passing(some))} / ${sql.literal(`${sampled}::float8`)} end as share
    from size`
}

/**
 * Returns the index, from 0, of the source with the fewest rows. A list with several filters is read from that source. At most
 * `maxCounted` rows of each are counted; of sources with equal counts the first is returned.
 */
export const fewestOf = (
  sql: SqlClient,
  sources: ReadonlyArray<(limit: Fragment) => Fragment>
): Effect.Effect<number, Unavailable> => {
  if (sources.length < 2) return Effect.succeed(0)
  const most = sql.literal(`limit ${maxCounted}`)
  const counts = sources.map(
    (source, place) => sql`
      select ${sql.literal(`${place}`)} as place, (select count(*) from (select from (${source(most)}) a ${most}) t) as rows`
  )
  return Effect.map(
    orUnavailable(sql<{ readonly place: number }>`
      select place from (${sql.join(" union all ", false)(counts)}) c order by rows, place limit 1`),
    (found) => found[0]!.place
  )
}

const valuesOf = (sql: SqlClient, after: Place, columns: ReadonlyArray<SortColumn>) =>
  columns.map(({ kind }, index) => {
    const value = after[index]!
    const given = kind === "Time" ? new Date(value as number).toISOString() : String(value)
    return sql`${given}${sql.literal(`::${types[kind]}`)}`
  })

/**
 * The condition and order of the rows with `v.value` in a column, within a range of times and after the cursor of the page.
 * The condition is a range of the column, for which only an index of the column and the order can be used. For an equation
 * the planner might use an index of the order alone, and read rows with other values.
 *
 * @param time converts a time to the first value of the order
 */
export const ofValue = (
  sql: SqlClient,
  request: PageRequest,
  column: string,
  place: ReadonlyArray<SortColumn>,
  time: (at: number) => string,
  { since = null, until = null }: TimeRange = {}
): { readonly condition: Fragment; readonly order: Fragment } => {
  const ascending = isAscending(request)
  const { after = null } = request
  const names = [column, ...place.map((one) => one.column)]
  const at = (millis: number) => sql`${time(millis)}${sql.literal(`::${types[place[0]!.kind]}`)}`
  const begin = after === null ? null : sql`(v.value, ${sql.csv(valuesOf(sql, after, place))})`
  const pair = sql.literal(`(${names[0]}, ${names[1]})`)
  const all = sql.literal(`(${names.join(", ")})`)
  const lower =
    ascending && begin !== null
      ? sql`${all} > ${begin}`
      : since === null
        ? sql`${sql.literal(column)} >= v.value`
        : sql`${pair} >= (v.value, ${at(since)})`
  const upper =
    !ascending && begin !== null
      ? sql`${all} < ${begin}`
      : until === null
        ? sql`${sql.literal(column)} <= v.value`
        : sql`${pair} < (v.value, ${at(until)})`
  const direction = ascending ? "asc" : "desc"
  // The other bound of the time range, because the cursor replaced the nearer bound.
  const ranges = [
    ...(ascending && begin !== null && since !== null
      ? [sql`${sql.literal(names[1]!)} >= ${at(since)}`]
      : []),
    ...(!ascending && begin !== null && until !== null ? [sql`${sql.literal(names[1]!)} < ${at(until)}`] : [])
  ]
  return {
    condition: sql.and([lower, upper, ...ranges]),
    order: sql.literal(`order by ${names.map((name) => `${name} ${direction}`).join(", ")}`)
  }
}

/** As `ofValue`, without a cursor: an equation, for which the planner can estimate the number of rows. */
export const withValues = (
  sql: SqlClient,
  column: string,
  values: ReadonlyArray<unknown>,
  type: string
): Fragment => sql`${sql.literal(column)} = any(${values}${sql.literal(`::${type}[]`)})`

/** The position of a time in a list sorted by time, and in one sorted by ids. */
export const timeText = (at: number): string => new Date(at).toISOString()
export const idText = (at: number): string => firstIdAt(Math.max(0, at))

/** The condition of the rows after the cursor of the page; always true without a cursor. */
export const behind = (
  sql: SqlClient,
  request: PageRequest,
  columns: ReadonlyArray<SortColumn>,
  ascending = isAscending(request)
): Fragment => {
  const { after = null } = request
  if (after === null) return sql`true`
  const values = valuesOf(sql, after, columns)
  const names = columns.map(({ column }) => column).join(", ")
  return sql`(${sql.literal(names)}) ${sql.literal(ascending ? ">" : "<")} (${sql.csv(values)})`
}

/** The parts of the statement of a page. */
export interface ListSources {
  /** The common table expressions of the statement; empty if there are none. */
  readonly ctes: Fragment
  /** See `totalOf`. */
  readonly total: Fragment
  /** A `select` of the sorted rows of the page, without duplicates. */
  readonly shown: Fragment
}

/** The rows found by an index that finds only passing rows, without duplicates. */
export interface PassedRows {
  /** A `select` of the columns. */
  readonly all: Fragment
  /** A `select` of the first rows of the page. By default all rows are sorted. */
  readonly first?: Fragment
}

/**
 * A list whose rows an index finds, but not in the order of the list. If the index finds few rows, they are sorted. Otherwise
 * the list is walked in order for a limited number of rows, which finds the page if many rows pass. If few pass, all rows
 * that the index finds are sorted.
 *
 * @param columns the columns by which the list is sorted, as `walk` and `passing` return them
 * @param ids a `select` of the rows that the index finds
 * @param passing a `select` of the columns of the passing rows among given rows (see `totalOf`)
 * @param walk a `select` of the columns of the first rows after the page's cursor, in the order of the list, and of whether
 *   each row `passes`
 * @param passed if indexes find only passing rows, the rows that each finds
 */
export const unsortedList = (
  sql: SqlClient,
  page: PageRequest,
  columns: ReadonlyArray<SortColumn>,
  ids: Fragment,
  passing: (rows: Fragment) => Fragment,
  walk: (limit: Fragment) => Fragment,
  passed: ReadonlyArray<PassedRows> | null = null
): ListSources => {
  const most = offsetOf(page) === 0 ? maxPageSize + 1 : offsetOf(page) + page.pageSize + 1
  const steps = sql.literal(`${Math.max(walked, most)}`)
  const looked = sql.literal(`${maxLookedAt}`)
  const names = sql.literal(columns.map(({ column }) => column).join(", "))
  const sorted = sql`order by ${sortedBy(sql, page, columns)}`
  const end = sourceLimit(sql, page)
  const isBehind = behind(sql, page, columns)
  const some = passing(sql.literal(`(select * from seen limit ${sampled})`))
  const union = sql.join(" union all ", false)
  const all =
    passed === null
      ? passing(sql`(${ids})`)
      : sql`select distinct ${names} from (${union(passed.map((rows) => rows.all))}) u`
  const firstOf = (rows: Fragment) =>
    sql`(select ${names} from (${rows}) f where ${isBehind} ${sorted} ${end})`
  const firstOfAll =
    passed === null
      ? firstOf(all)
      : firstOf(
          sql`select distinct ${names} from (${union(
            passed.map((rows) => rows.first ?? firstOf(rows.all))
          )}) u`
        )
  return {
    ctes: sql`
      with seen as materialized (
        select * from (${ids}) a limit ${looked} + 1
      ), size as materialized (
        select count(*) > ${looked} as exceeded from seen
      ), passed as materialized (
        select f.* from (select from size where not exceeded) g cross join lateral (${passing(sql.literal("seen"))}) f
      ), walk as materialized (
        select w.* from (select from size where exceeded) g cross join lateral (${walk(sql`limit ${steps}`)}) w
      ), near as materialized (
        select ${names} from walk where passes ${sorted} ${end}
      ), state as materialized (
        select exceeded and (select count(*) from near) < ${sql.literal(`${most}`)}
          and (select count(*) from walk) >= ${steps} as searched
        from size
      )`,
    total:
      page.total === "Bounded"
        ? sql`select case when not exceeded then (select count(*)::int from passed) end as total,
            case when exceeded then (select count(*) from (${some}) t) / ${sql.literal(`${sampled}::float8`)} end as share
          from size`
        : sql`select case when exceeded then (select count(*)::int from (${all}) t)
            else (select count(*)::int from passed) end as total, null::float8 as share
          from size`,
    shown: sql`
      select ${names} from (
        select ${names} from passed where ${isBehind}
        union all
        select ${names} from near where not (select searched from state)
        union all
        select f.* from (select from state where searched) g cross join lateral ${firstOfAll} f
      ) m ${sorted} ${pageLimit(sql, page)}`
  }
}

/** The condition of a time in a range; always true without one. */
export const between = (
  sql: SqlClient,
  column: string,
  { since = null, until = null }: TimeRange
): Fragment =>
  sql.and([
    ...(since === null ? [] : [sql`${sql.literal(column)} >= ${new Date(since)}`]),
    ...(until === null ? [] : [sql`${sql.literal(column)} < ${new Date(until)}`])
  ])

/** As `between`, for ids, which contain the time at which they were made. */
export const betweenIds = (
  sql: SqlClient,
  column: string,
  { since = null, until = null }: TimeRange
): Fragment =>
  sql.and([
    ...(since === null ? [] : [sql`${sql.literal(column)} >= ${firstIdAt(Math.max(0, since))}::uuid`]),
    ...(until === null ? [] : [sql`${sql.literal(column)} < ${firstIdAt(Math.max(0, until))}::uuid`])
  ])

/** The columns of an `order by`. */
export const sortedBy = (
  sql: SqlClient,
  request: PageRequest,
  columns: ReadonlyArray<SortColumn>,
  ascending = isAscending(request)
): Fragment => sql.literal(columns.map(({ column }) => `${column} ${ascending ? "asc" : "desc"}`).join(", "))

interface Plan {
  readonly "Plan Rows": number
}

/** A row of `explain (format json)`. */
export interface PlanRow {
  readonly "QUERY PLAN": unknown
}

/** The number of rows that the planner estimates for the `select` that `explained` explains. */
const expectedRows = (
  explained: Effect.Effect<ReadonlyArray<PlanRow>, SqlError>
): Effect.Effect<number, Unavailable> =>
  Effect.map(orUnavailable(explained), ([row]) => {
    const found = row?.["QUERY PLAN"]
    const plans = (typeof found === "string" ? JSON.parse(found) : found) as ReadonlyArray<{
      readonly Plan: Plan
    }>
    return Math.round(plans[0]!.Plan["Plan Rows"])
  })

/**
 * Makes the page from the rows of a statement, which are those of the page and one more.
 *
 * @param explained explains a `select` of all rows of the list, or of the source of its total (`totalOf`). A total that is
 *   not counted is estimated from it
 * @param key a column that is not null in any row of the list
 */
export const toPage = <Row extends PageRow, A>(
  rows: ReadonlyArray<Row>,
  request: PageRequest,
  {
    decode,
    explained,
    key = "id",
    placeOf
  }: {
    readonly decode: (row: Row) => A
    readonly placeOf: (item: A) => Place
    readonly explained: Effect.Effect<ReadonlyArray<PlanRow>, SqlError>
    readonly key?: string
  }
): Effect.Effect<Page<A>, Unavailable> => {
  const found = rows.filter((row) => (row as Readonly<Record<string, unknown>>)[key] !== null).map(decode)
  const { share, total } = rows[0] ?? { total: 0 }
  const exactly = (totalCount: number) =>
    Effect.succeed(pageOf(request, found, placeOf, { totalCount, totalIsExact: true }))
  const isCounted = total !== null && (request.total !== "Bounded" || share === null || total <= maxCounted)
  if (isCounted) return exactly(total)
  const isFirst = (request.after ?? null) === null && offsetOf(request) === 0
  if (isFirst && found.length <= request.pageSize) return exactly(found.length)
  // The source has more rows than were checked.
  const least = total === null ? maxLookedAt + 1 : total
  return Effect.map(expectedRows(explained), (expected) =>
    pageOf(request, found, placeOf, {
      totalCount: Math.max(Math.round(Math.max(expected, least) * (share ?? 1)), found.length),
      totalIsExact: false
    })
  )
}
