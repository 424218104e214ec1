/**
 * Reads lists that callers can sort by one of several columns.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Page, PageRequest } from "../../../core/shared/Page.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import type { Unavailable } from "../../../core/shared/Problem.ts"
import { orUnavailable } from "./errors.ts"
import {
  behind,
  fewestOf,
  type ListSources,
  pageLimit,
  type PageRow,
  type PlanRow,
  type SortColumn,
  sortedBy,
  toPage,
  totalOf,
  unsortedList
} from "./pages.ts"

interface SortedRow extends PageRow {
  readonly sortKey: Date | number | string
}

/** A character greater than any other. */
const lastCharacter = "\u{10ffff}"

/** The condition of a string that begins with `q`. It is a range of an index. */
export const beginsWith = (sql: SqlClient, expression: string, q: string): Fragment => {
  const column = sql.literal(expression)
  return sql`(${column} >= ${q}::text and ${column} < ${q + lastCharacter}::text)`
}

/** A string in the form in which it is searched and sorted: that of `foldCase`. */
export const folded = (column: string): string => `(svc_folded(${column}) collate "C")`

/**
 * Finds what `sortedList` searches: of several filters, the one with the fewest rows; null if there are no filters.
 *
 * @param filters for each filter, the conditions of `i`, each with an index. A row must satisfy one or more of them
 */
export const searchedBy = (
  sql: SqlClient,
  table: string,
  filters: ReadonlyArray<ReadonlyArray<Fragment>>
): Effect.Effect<{ readonly ids: Fragment; readonly among: Fragment } | null, Unavailable> => {
  if (filters.length === 0) return Effect.succeed(null)
  const found = filters.map((conditions) =>
    sql.join(
      " union all ",
      false
    )(conditions.map((condition) => sql`select i.id from ${sql.literal(`${table} i`)} where ${condition}`))
  )
  return Effect.map(
    fewestOf(
      sql,
      found.map((ids) => (limit: Fragment) => sql`select from (${ids}) r ${limit}`)
    ),
    (place) => ({ ids: found[place]!, among: sql`true` })
  )
}

/**
 * A page of the rows of `table i` that pass a condition, sorted by `by` and then by id.
 *
 * @param columns what is selected from `i`, including its `id`
 * @param searched if an index finds rows that may pass, but not in the order of the list: a `select` of their ids, and the
 *   condition that all rows of the list satisfy
 * @param computed a named value for `by`, computed once for a row of `table i`; otherwise it would be computed wherever `by`
 *   occurs. `joined` is a join with the values of all rows, if that is faster
 */
export const sortedList = <A extends { readonly id: string }>(
  sql: SqlClient,
  page: PageRequest,
  {
    by,
    columns,
    computed = null,
    decode,
    passing,
    searched = null,
    table
  }: {
    readonly table: string
    readonly passing: Fragment
    readonly by: SortColumn
    readonly columns: Fragment
    readonly computed?: { readonly name: string; readonly value: string; readonly joined?: string } | null
    readonly decode: (row: object) => A
    readonly searched?: { readonly ids: Fragment; readonly among: Fragment } | null
  }
): Effect.Effect<Page<A>, Unavailable> => {
  const place: ReadonlyArray<SortColumn> = [by, { column: "i.id", kind: "Id" }]
  const shown: ReadonlyArray<SortColumn> = [
    { column: `p."sortKey"`, kind: by.kind },
    { column: "p.id", kind: "Id" }
  ]
  const source = sql.literal(
    computed === null
      ? `${table} i`
      : searched === null && computed.joined !== undefined
        ? `${table} i ${computed.joined}`
        : `${table} i cross join lateral (select ${computed.value} as ${computed.name} offset 0) v`
  )
  const sortKey = sql.literal(`${by.column} as "sortKey"`)
  const isBehind = behind(sql, page, place)
  const inOrder = sql`order by ${sortedBy(sql, page, place)}`
  const all = sql`select from ${sql.literal(`${table} i`)} where ${passing}`
  // An index in the order of the list returns rows one by one, so only the first rows are read and not all.
  const {
    ctes,
    shown: rows,
    total
  }: ListSources = searched === null
    ? {
        ctes: sql``,
        total: totalOf(
          sql,
          page,
          (limit) => (page.total === "Bounded" && computed === null ? sql`${all} ${inOrder} ${limit}` : all),
          null
        ),
        shown: sql`select ${columns}, ${sortKey} from ${source} where ${passing} and ${isBehind}
            ${inOrder} ${pageLimit(sql, page)}`
      }
    : unsortedList(
        sql,
        page,
        [
          { column: `"sortKey"`, kind: by.kind },
          { column: "id", kind: "Id" }
        ],
        searched.ids,
        (ids) => sql`
            select ${sortKey}, i.id from (select distinct id from ${ids} r offset 0) k cross join lateral (
              select * from ${source} where ${searched.among} and i.id = k.id limit 1
            ) i where ${passing}`,
        (limit) => sql`select ${sortKey}, i.id, (${passing}) is true as passes from ${source}
            where ${searched.among} and ${isBehind} ${inOrder} ${limit}`
      )
  const listed =
    searched === null
      ? rows
      : sql`select ${columns}, k."sortKey" from (${rows}) k cross join lateral (
          select * from ${source} where ${searched.among} and i.id = k.id limit 1
        ) i`
  return orUnavailable(sql<SortedRow>`
    ${ctes} select c.*, p.* from (${total}) c left join lateral (${listed}) p on true
    order by ${sortedBy(sql, page, shown)}`).pipe(
    Effect.flatMap((read) =>
      toPage(read, page, {
        decode: (row) => ({ item: decode(row), sortKey: row.sortKey }),
        placeOf: ({ item, sortKey: key }) => [
          key instanceof Date ? key.getTime() : by.kind === "Count" ? Number(key) : key,
          item.id
        ],
        explained: sql<PlanRow>`explain (format json) ${searched?.ids ?? all}`
      })
    ),
    Effect.map((read) => mapPage(read, ({ item }) => item))
  )
}
