/**
 * Values that the examples share.
 *
 * @module
 */

/** Ids by resource. */
export const exampleIds = {
  contact: "01932f6a-7c00-7000-8000-000000000001",
  secondContact: "01932f6a-7c00-7000-8000-000000000002",
  topic: "01932f6a-7c00-7000-8000-000000000003",
  segment: "01932f6a-7c00-7000-8000-000000000004",
  email: "01932f6a-7c00-7000-8000-000000000005",
  item: "01932f6a-7c00-7000-8000-000000000006",
  secondItem: "01932f6a-7c00-7000-8000-000000000007",
  order: "01932f6a-7c00-7000-8000-000000000008",
  store: "01932f6a-7c00-7000-8000-000000000009",
  flow: "01932f6a-7c00-7000-8000-00000000000b",
  notification: "01932f6a-7c00-7000-8000-00000000000a"
} as const

/** A timestamp. */
export const exampleTimestamp = "2026-03-14T09:26:53.589Z"

/** A page with all entries of a list. */
export const examplePage = (items: ReadonlyArray<unknown>) => ({
  items,
  page: 1,
  pageSize: 50,
  totalCount: items.length
})
