/**
 * Lists that their callers sort by one of several columns.
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
  countLimit,
  pageLimit,
  type PageRow,
  type PlanRow,
  type SortColumn,
  sortedBy,
  toPage
} from "./pages.ts"

interface SortedRow extends PageRow {
  readonly sortKey: Date | number | string
}

/** Greater than any other character. */
const lastCharacter = "\u{10ffff}"

/** The condition of a text that begins with `q`, of which an index has the range. */
export const beginsWith = (sql: SqlClient, expression: string, q: string): Fragment => {
  const column = sql.literal(expression)
  return sql`(${column} >= ${q}::text and ${column} < ${q + lastCharacter}::text)`
}

/** A text as it is searched and sorted: in the form of `foldCase`. */
export const folded = (column: string): string => `(svc_folded(${column}) collate "C")`

/**
 * A page of the rows of `table i` that pass a condition, sorted by `by` and then by id.
 *
 * @param columns what is selected of `i`, with its `id`
 */
export const sortedList = <A extends { readonly id: string }>(
  sql: SqlClient,
  page: PageRequest,
  {
    by,
    columns,
    decode,
    passing,
    table
  }: {
    readonly table: string
    readonly passing: Fragment
    readonly by: SortColumn
    readonly columns: Fragment
    readonly decode: (row: object) => A
  }
): Effect.Effect<Page<A>, Unavailable> => {
  const place: ReadonlyArray<SortColumn> = [by, { column: "i.id", kind: "Id" }]
  const shown: ReadonlyArray<SortColumn> = [
    { column: `p."sortKey"`, kind: by.kind },
    { column: "p.id", kind: "Id" }
  ]
  const source = sql.literal(`${table} i`)
  // In their order, an index returns rows one by one: the first that are counted, and not all.
  const counted =
    page.total === "Bounded" ? sql`order by ${sortedBy(sql, page, place)} ${countLimit(sql, page)}` : sql``
  return orUnavailable(sql<SortedRow>`
    select c.total, p.* from (
      select count(*)::int as total from (
        select from ${source} where ${passing} ${counted}
      ) t
    ) c left join lateral (
      select ${columns}, ${sql.literal(by.column)} as "sortKey" from ${source}
      where ${passing} and ${behind(sql, page, place)} order by ${sortedBy(sql, page, place)} ${pageLimit(sql, page)}
    ) p on true order by ${sortedBy(sql, page, shown)}`).pipe(
    Effect.flatMap((rows) =>
      toPage(rows, page, {
        decode: (row) => ({ item: decode(row), sortKey: row.sortKey }),
        placeOf: ({ item, sortKey }) => [
          sortKey instanceof Date ? sortKey.getTime() : by.kind === "Count" ? Number(sortKey) : sortKey,
          item.id
        ],
        explained: sql<PlanRow>`explain (format json) select from ${source} where ${passing}`
      })
    ),
    Effect.map((found) => mapPage(found, ({ item }) => item))
  )
}
