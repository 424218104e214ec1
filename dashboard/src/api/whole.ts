/**
 * Shows a list that is read as a whole, such as an account's keys, as one that is read page by page.
 *
 * @module
 */
import type { ApiError } from "./errors.ts"
import type { List } from "./queries.ts"

/** What a query has read of a list. */
interface Read<Item> {
  readonly data: ReadonlyArray<Item> | undefined
  readonly error: ApiError | null
  readonly isPending: boolean
  readonly refetch: () => unknown
}

/** The list of a query whose data are all items, or those of them that are chosen. */
export const wholeList = <Item>({ data, error, isPending, refetch }: Read<Item>): List<Item> => ({
  items: data ?? [],
  total: data === undefined ? null : { count: data.length, isExact: true },
  isLoading: isPending,
  error,
  hasMore: false,
  loadMore: () => undefined,
  reload: () => void refetch()
})
