/**
 * Applies a change that the service has not made yet to the cached data of lists and of single things.
 *
 * @module
 */

/** What becomes of an entry: a changed entry, null if it is removed, or the same entry if it is not affected. */
export type Ahead<Item> = (item: Item) => Item | null

/** A change that is applied to each entry of a list. */
export type Change = (item: never) => unknown

const itemsAfter = (items: ReadonlyArray<unknown>, change: Change): ReadonlyArray<unknown> =>
  items.flatMap((item) => change(item as never) ?? [])

/**
 * The cached data with the change applied. They can be a plain list, one page, the pages of an infinite list, or a single thing.
 * A single thing that the change removes from its lists stays as it is.
 */
export const withChange = (read: unknown, change: Change): unknown => {
  if (Array.isArray(read)) return itemsAfter(read, change)
  if (typeof read !== "object" || read === null) return read
  if ("pages" in read && Array.isArray(read.pages))
    return { ...read, pages: read.pages.map((page) => withChange(page, change)) }
  if (!("items" in read) || !Array.isArray(read.items)) return change(read as never) ?? read
  const items = itemsAfter(read.items, change)
  const total = "totalCount" in read && typeof read.totalCount === "number" ? read.totalCount : null
  return {
    ...read,
    items,
    ...(total === null ? {} : { totalCount: total - (read.items.length - items.length) })
  }
}
