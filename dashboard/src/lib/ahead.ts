/**
 * What was read of lists and of single things, with a change that the service has not made yet.
 *
 * @module
 */

/** What becomes of an entry: another, or null for one that goes; the entry itself where it stays. */
export type Ahead<Item> = (item: Item) => Item | null

/** A change of the entries of a list. */
export type Change = (item: never) => unknown

const itemsAfter = (items: ReadonlyArray<unknown>, change: Change): ReadonlyArray<unknown> =>
  items.flatMap((item) => change(item as never) ?? [])

/**
 * What was read, with the change: a list, a page of one, the pages that are shown one after the other, or a single thing, which stays
 * where it goes from its lists.
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
