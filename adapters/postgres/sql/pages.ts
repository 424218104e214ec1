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
  readonly total: number
}

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

/** The condition of the rows behind the place at which a page begins; always true without one. */
export const behind = (
  sql: SqlClient,
  request: PageRequest,
  columns: ReadonlyArray<SortColumn>,
  ascending = isAscending(request)
): Fragment => {
  const { after = null } = request
  if (after === null) return sql`true`
  const values = columns.map(({ kind }, index) => {
    const value = after[index]!
    const given = kind === "Time" ? new Date(value as number).toISOString() : String(value)
    return sql`${given}${sql.literal(`::${types[kind]}`)}`
  })
  const names = columns.map(({ column }) => column).join(", ")
  return sql`(${sql.literal(names)}) ${sql.literal(ascending ? ">" : "<")} (${sql.csv(values)})`
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
 * @param explained explains a `select` of all rows of the list, by which a total beyond those counted is estimated
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
  const counted = rows[0]?.total ?? 0
  const isCounted = request.total !== "Bounded" || counted <= maxCounted
  return Effect.map(isCounted ? Effect.succeed(counted) : expectedRows(explained), (total) =>
    pageOf(request, found, placeOf, { totalCount: Math.max(total, counted), totalIsExact: isCounted })
  )
}
