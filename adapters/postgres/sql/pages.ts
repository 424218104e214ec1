/**
 * Pages of lists, with their total, in one statement; a list that is longer than totals are counted takes another, which
 * asks the planner how long it is.
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
 * (select ... limit ... offset ...) p on true`. On a page past the end, the one row has a total and nothing else.
 */
export interface PageRow {
  /** Null where it was not counted (`totalOf`). */
  readonly total: number | null
  /** As `totalOf` says. */
  readonly share?: number | null
}

/** The most rows that one filter finds which are looked at for a total of several. */
export const maxLookedAt = maxCounted

/** How many rows are walked before an index is asked that has not the order of the list. */
const walked = 2_000

/** The rows of which the share of those that pass is estimated. */
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
 * The limit of the rows that are read for a page: its own and one more, which says whether there is a next page. Planned
 * for few rows where the page is not found by counting.
 */
export const pageLimit = (sql: SqlClient, request: PageRequest): Fragment =>
  offsetOf(request) === 0
    ? sql.literal(`limit ${maxPageSize + 1}`)
    : sql`limit ${request.pageSize + 1} offset ${offsetOf(request)}`

/** As `pageLimit`, of each of several sources of which the page is merged. */
export const sourceLimit = (sql: SqlClient, request: PageRequest): Fragment =>
  offsetOf(request) === 0
    ? sql.literal(`limit ${maxPageSize + 1}`)
    : sql`limit ${offsetOf(request) + request.pageSize + 1}`

/** The limit of the rows that are counted for the total; empty where all are. */
export const countLimit = (sql: SqlClient, { total }: PageRequest): Fragment =>
  sql.literal(total === "Bounded" ? `limit ${maxCounted + 1}` : "")

/**
 * The row `total, share` of a list: how many rows of `source` pass. A bounded total looks at `maxLookedAt` rows at most.
 * Where there are more, it is null, and `share` is how many of the first pass, from 0 to 1. Where all rows pass, no more
 * than `maxCounted` and one are counted.
 *
 * @param source a `select`, with its limit
 * @param passing a `select` of those that pass, of rows that are given as `(select ...)` or the name of a table; null where
 *   all do
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
 * Which of several sources has the fewest rows, by their places from 0 on: the one that a list with several filters is read
 * from. No more than `maxCounted` of each are counted; of equal ones it is the first.
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
 * The condition of the rows that have `v.value` in a column, in the range of times and behind the place at which a page
 * begins, and their order. Written as a range of the column, which only an index of the column and the order serves: for
 * an equation the planner may take an index of the order alone, and read what has other values.
 *
 * @param time the place of a time in the order
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
  // The other limit of the times, where the place is the nearer one.
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

/** As `ofValue`, without a place: an equation, of which the planner knows how many rows fulfil it. */
export const withValues = (
  sql: SqlClient,
  column: string,
  values: ReadonlyArray<unknown>,
  type: string
): Fragment => sql`${sql.literal(column)} = any(${values}${sql.literal(`::${type}[]`)})`

/** The place of a time in a list by time, and in one by ids. */
export const timeText = (at: number): string => new Date(at).toISOString()
export const idText = (at: number): string => firstIdAt(Math.max(0, at))

/** The condition of the rows behind the place at which a page begins; always true without one. */
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
  /** The `with` of the statement; empty for none. */
  readonly ctes: Fragment
  /** As `totalOf` says. */
  readonly total: Fragment
  /** A `select` of the rows of the page, each once, sorted. */
  readonly shown: Fragment
}

/** What an index finds that finds nothing else than what passes, each row once. */
export interface PassedRows {
  /** A `select` of the columns. */
  readonly all: Fragment
  /** A `select` of the first ones of the page; by default all of them are sorted. */
  readonly first?: Fragment
}

/**
 * A list whose rows an index finds, but not in their order. Where it finds few, they are sorted. Else the list is walked in
 * its order as far as costs little: where many rows pass, this finds the page. Where few do, all that the index finds are
 * sorted.
 *
 * @param columns how the list is sorted, as `walk` and `passing` return them
 * @param ids a `select` of what the index finds
 * @param passing a `select` of the columns of those that pass, of rows as `totalOf` gives them
 * @param walk a `select` of the columns of the first rows of the list behind the page's place, in its order, and of whether
 *   each `passes`
 * @param passed where indexes find nothing else than what passes: what each finds
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

/** How many rows the planner expects of the `select` that `explained` explains. */
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
 * The page of a statement's rows, which are those of the page and one more.
 *
 * @param explained explains a `select` of all rows of the list, or of the source of its total (`totalOf`), by which a total
 *   that is not counted is estimated
 * @param key a column that is never null in a row of the list
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
  // The source has more rows than were looked at.
  const least = total === null ? maxLookedAt + 1 : total
  return Effect.map(expectedRows(explained), (expected) =>
    pageOf(request, found, placeOf, {
      totalCount: Math.max(Math.round(Math.max(expected, least) * (share ?? 1)), found.length),
      totalIsExact: false
    })
  )
}
