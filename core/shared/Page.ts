/**
 * Paging of lists: `page` from 1, `pageSize` 1 to 200, default 50.
 *
 * @module
 */

/** The page that a caller requests. */
export interface PageRequest {
  readonly page: number
  readonly pageSize: number
}

/** A page of a list. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly page: number
  readonly pageSize: number
  readonly totalCount: number
}

/** The most items of a page. */
export const maxPageSize = 200

/** The page size without a `pageSize`. */
export const defaultPageSize = 50

/** The number of items before the page. */
export const offsetOf = (request: PageRequest): number => (request.page - 1) * request.pageSize

/** The same page with its items mapped. */
export const mapPage = <A, B>(page: Page<A>, f: (item: A) => B): Page<B> => ({
  ...page,
  items: page.items.map(f)
})
