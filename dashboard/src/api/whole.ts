/**
 * Presents a list that is read as a whole, such as an account's keys, as a list that is read page by page.
 *
 * @module
 */
import type { ApiError } from "./errors.ts"
import type { List } from "./queries.ts"

/** The part of a query's result that is used. */
interface Read<Item> {
  readonly data: ReadonlyArray<Item> | undefined
  readonly error: ApiError | null
  readonly isPending: boolean
  readonly refetch: () => unknown
}

/** The list for a query whose data are all the items, or a selection of them. */
export const wholeList = <Item>({ data, error, isPending, refetch }: Read<Item>): List<Item> => ({
  items: data ?? [],
  total: data === undefined ? null : { count: data.length, isExact: true },
  isLoading: isPending,
  error,
  hasMore: false,
  loadMore: () => undefined,
  reload: () => void refetch()
})
