/**
 * Paging of lists: by page number, or from the place of the item at which the page before ended. A page has 1 to 200
 * items, 50 unless the caller says otherwise.
 *
 * @module
 */
import { Effect } from "effect"

/**
 * Where an item stands in its list: the values by which the list is sorted, of which the last is unique. A list is
 * sorted by all of them in one direction, so that the items behind a place are those with a smaller one (a greater one
 * where the list is ascending), whatever was added or removed meanwhile.
 */
export type Place = ReadonlyArray<string | number>

/** The kind of a value of a place. Times are epoch milliseconds. */
export type PlaceKind = "Count" | "Id" | "Text" | "Time"

/** The order of a list that can be sorted in more than one way. */
export interface Sort {
  /** The name of what it is sorted by. */
  readonly by: string
  readonly ascending: boolean
}

/** The page that a caller requests. */
export interface PageRequest {
  /** From 1; not used where `after` is given. */
  readonly page: number
  readonly pageSize: number
  /** The page begins behind this place. */
  readonly after?: Place | null
  /** The list's own order where it is left out: newest first, for most. */
  readonly sort?: Sort | null
  /**
   * `Bounded`: the total is exact up to `maxCounted` and may be an estimate above. `None`: a list that can be read without one
   * returns 0. Exact where it is left out.
   */
  readonly total?: "Exact" | "Bounded" | "None"
}

/** The number of items that a list has. */
export interface Total {
  readonly totalCount: number
  /** False where `totalCount` is an estimate. */
  readonly totalIsExact: boolean
}

/** A page of a list. */
export interface Page<A> extends Total {
  readonly items: ReadonlyArray<A>
  readonly page: number
  readonly pageSize: number
  /** The place behind which the next page begins; null on the last page. */
  readonly next: Place | null
}

/** The times that a list is limited to, epoch milliseconds: from `since` on, before `until`; null for no limit. */
export interface TimeRange {
  readonly since?: number | null
  readonly until?: number | null
}

/** Of which values an item must have one; null or left out for any. */
export type Among<Value> = ReadonlyArray<Value> | null

/** Whether a value passes a filter. */
export const isAmong = <Value>(values: Among<Value> | undefined, value: Value): boolean =>
  (values ?? null) === null || values!.includes(value)

/** Whether a time is within the limits. */
export const isInRange = ({ since = null, until = null }: TimeRange, at: number): boolean =>
  (since === null || at >= since) && (until === null || at < until)

/** The most items of a page. */
export const maxPageSize = 200

/** The page size without a `pageSize`. */
export const defaultPageSize = 50

/** Up to this number, every total is exact. */
export const maxCounted = 10_000

/** The number of items before the page, counted from `after` where it is given. */
export const offsetOf = ({ after = null, page, pageSize }: PageRequest): number =>
  after === null ? (page - 1) * pageSize : 0

/** Whether the list is sorted from the smallest place up; `otherwise` is its own order. */
export const isAscending = ({ sort = null }: PageRequest, otherwise = false): boolean =>
  sort?.ascending ?? otherwise

/**
 * The page of items that were read for it.
 *
 * @param found the items of the page, and one more where there is one
 */
export const pageOf = <A>(
  { page, pageSize }: PageRequest,
  found: ReadonlyArray<A>,
  placeOf: (item: A) => Place,
  total: Total
): Page<A> => {
  const items = found.slice(0, pageSize)
  const last = items.at(-1)
  const next = found.length > pageSize && last !== undefined ? placeOf(last) : null
  return { items, page, pageSize, ...total, next }
}

/** Compares places of one list. Strings are compared by their UTF-16 units. */
export const comparePlaces = (a: Place, b: Place): number => {
  for (const [index, value] of a.entries()) {
    const other = b[index]!
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** A page of all items of a list, which are sorted by their places, the smallest first. */
export const pageOfAll = <A>(
  sorted: ReadonlyArray<A>,
  request: PageRequest,
  placeOf: (item: A) => Place
): Page<A> => {
  const { after = null, pageSize } = request
  const ascending = isAscending(request)
  // The first item, in ascending order, that is not before `after`, or is behind it.
  let low = 0
  for (let high = after === null ? 0 : sorted.length; low < high;) {
    const middle = (low + high) >> 1
    const order = comparePlaces(placeOf(sorted[middle]!), after!)
    if (order < 0 || (ascending && order === 0)) low = middle + 1
    else high = middle
  }
  const offset = offsetOf(request)
  const end = after === null ? sorted.length : low
  const found = ascending
    ? sorted.slice(low + offset, low + offset + pageSize + 1)
    : sorted.slice(Math.max(0, end - offset - pageSize - 1), Math.max(0, end - offset)).reverse()
  return pageOf(request, found, placeOf, { totalCount: sorted.length, totalIsExact: true })
}

/** The place of a record by a field and its id. */
export const placeBy =
  <Field extends string>(field: Field) =>
  <A extends { readonly id: string } & Readonly<Record<Field, string | number>>>(record: A): Place => [
    record[field],
    record.id
  ]

/** The place of a record by its id alone. */
export const placeById = ({ id }: { readonly id: string }): Place => [id]

/** A page of the items of a list, sorted by a text and then by their ids. */
export const pageByText = <A extends { readonly id: string }>(
  items: ReadonlyArray<A>,
  request: PageRequest,
  textOf: (item: A) => string
): Page<A> => {
  const placed = items
    .map((item) => ({ item, place: [textOf(item), item.id] as const }))
    .toSorted((a, b) => comparePlaces(a.place, b.place))
  return mapPage(
    pageOfAll(placed, request, ({ place }) => place),
    ({ item }) => item
  )
}

/** The same page with its items mapped. */
export const mapPage = <A, B>(page: Page<A>, f: (item: A) => B): Page<B> => ({
  ...page,
  items: page.items.map(f)
})

/** Everything that a list returns, read page by page, each from where the one before ended. */
export const readAll = Effect.fnUntraced(function* <A, E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<A>, E, R>
) {
  const all: Array<A> = []
  let after: Place | null = null
  do {
    const { items, next }: Page<A> = yield* list({ page: 1, pageSize: maxPageSize, after, total: "None" })
    all.push(...items)
    after = next
  } while (after !== null)
  return all
})
