/**
 * Shows a change in lists that were read before the service has made it, and takes it back where the service refuses.
 *
 * @module
 */
import type { QueryClient } from "@tanstack/react-query"
import type { ReadRoute } from "./call.ts"

/** What becomes of an entry: another, or null for one that goes; the entry itself where it stays. */
export type Ahead<Item> = (item: Item) => Item | null

type Change = (item: never) => unknown

const itemsAfter = (items: ReadonlyArray<unknown>, change: Change): ReadonlyArray<unknown> =>
  items.flatMap((item) => change(item as never) ?? [])

/** What was read, with the change: a list, a page of one, or the pages that are shown one after the other. */
export const withChange = (read: unknown, change: Change): unknown => {
  if (Array.isArray(read)) return itemsAfter(read, change)
  if (typeof read !== "object" || read === null) return read
  if ("pages" in read && Array.isArray(read.pages))
    return { ...read, pages: read.pages.map((page) => withChange(page, change)) }
  if (!("items" in read) || !Array.isArray(read.items)) return read
  const items = itemsAfter(read.items, change)
  const total = "totalCount" in read && typeof read.totalCount === "number" ? read.totalCount : null
  return {
    ...read,
    items,
    ...(total === null ? {} : { totalCount: total - (read.items.length - items.length) })
  }
}

/** Changes what was read of some routes; the result takes it back. */
export const changeAhead = (
  client: QueryClient,
  routes: ReadonlyArray<ReadRoute>,
  change: Change
): (() => void) => {
  const before = routes
    .flatMap((route) => client.getQueriesData({ queryKey: [route] }))
    .filter(([, read]) => read !== undefined)
  for (const [key, read] of before) {
    // What is being read would bring the state of before.
    void client.cancelQueries({ queryKey: key, exact: true })
    client.setQueryData(key, withChange(read, change))
  }
  return () => {
    for (const [key, read] of before) client.setQueryData(key, read)
  }
}
