/**
 * Pages of lists, with their exact total, in one statement.
 *
 * @module
 */
import type { Page, PageRequest } from "../../../core/shared/Page.ts"

/**
 * A row of a page's statement: `select c.total, p.* from (select count(*)::int as total ...) c left join lateral
 * (select ... limit ... offset ...) p on true`. On a page past the end, the one row has a total and nothing else.
 */
export interface PageRow {
  readonly total: number
}

/**
 * The page of those rows.
 *
 * @param key a column that is never null in a row of the list
 */
export const pageOf = <Row extends PageRow, A>(
  rows: ReadonlyArray<Row>,
  request: PageRequest,
  decode: (row: Row) => A,
  key = "id"
): Page<A> => ({
  items: rows.filter((row) => (row as Readonly<Record<string, unknown>>)[key] !== null).map(decode),
  page: request.page,
  pageSize: request.pageSize,
  totalCount: rows[0]?.total ?? 0
})
