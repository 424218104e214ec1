/**
 * Paging of lists, by page number or by cursor. A cursor is the place of the item at which the previous page ended. A page has 1
 * to 200 items, by default 50.
 *
 * @module
 */
import { Effect } from "effect"

/**
 * The place of an item in its list: the values by which the list is sorted; the last of them is unique. All of them sort in the
 * same direction. The items after a place are those with a smaller place (greater, if the list is ascending), whatever items were
 * added or removed meanwhile.
 */
export type Place = ReadonlyArray<string | number>

/** The kind of a value in a place. Times are epoch milliseconds. */
export type PlaceKind = "Count" | "Id" | "Text" | "Time"

/** The order of a list that can be sorted in several ways. */
export interface Sort {
  /** The name of the sort key. */
  readonly by: string
  readonly ascending: boolean
}

/** The page that a caller requests. */
export interface PageRequest {
  /** From 1; ignored if `after` is given. */
  readonly page: number
  readonly pageSize: number
  /** The page begins after this place. */
  readonly after?: Place | null
  /** The order; if absent, the list's default, which for most lists is newest first. */
  readonly sort?: Sort | null
  /**
   * `Bounded`: the total is exact up to `maxCounted` and may be an estimate above. `None`: a list that can be read without a
   * total returns 0. If absent, the total is exact.
   */
  readonly total?: "Exact" | "Bounded" | "None"
}

/** The number of items in a list. */
export interface Total {
  readonly totalCount: number
  /** False if `totalCount` is an estimate. */
  readonly totalIsExact: boolean
}

/** A page of a list. */
export interface Page<A> extends Total {
  readonly items: ReadonlyArray<A>
  readonly page: number
  readonly pageSize: number
  /** The place after which the next page begins; null on the last page. */
  readonly next: Place | null
}

/** The range of times to which a list is limited, epoch milliseconds: from `since` to before `until`; null for no limit. */
export interface TimeRange {
  readonly since?: number | null
  readonly until?: number | null
}

/** The values of which an item must have one; null or absent for any. */
export type Among<Value> = ReadonlyArray<Value> | null

/** Whether a value passes a filter. */
export const isAmong = <Value>(values: Among<Value> | undefined, value: Value): boolean =>
  (values ?? null) === null || values!.includes(value)

/** Whether a time is within a range. */
export const isInRange = ({ since = null, until = null }: TimeRange, at: number): boolean =>
  (since === null || at >= since) && (until === null || at < until)

/** The most items on a page. */
export const maxPageSize = 200

/** The page size if none is given. */
export const defaultPageSize = 50

/** The number up to which every total is exact. */
export const maxCounted = 10_000

/** The number of items before the page, counted from `after` if it is given. */
export const offsetOf = ({ after = null, page, pageSize }: PageRequest): number =>
  after === null ? (page - 1) * pageSize : 0

/** Whether the list is sorted ascending by place; `otherwise` is its default. */
export const isAscending = ({ sort = null }: PageRequest, otherwise = false): boolean =>
  sort?.ascending ?? otherwise

/**
 * The page made of the items that were read for it.
 *
 * @param found the items of the page, followed by one more if there are more
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

/** Compares places of one list. Strings are compared by UTF-16 code units. */
export const comparePlaces = (a: Place, b: Place): number => {
  for (const [index, value] of a.entries()) {
    const other = b[index]!
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}

/** A page of a list whose items are all given, sorted ascending by place. */
export const pageOfAll = <A>(
  sorted: ReadonlyArray<A>,
  request: PageRequest,
  placeOf: (item: A) => Place
): Page<A> => {
  const { after = null, pageSize } = request
  const ascending = isAscending(request)
  // The first item, in ascending order, that is not before `after`, or that is after it.
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

/** The place of a record by one of its fields and its id. */
export const placeBy =
  <Field extends string>(field: Field) =>
  <A extends { readonly id: string } & Readonly<Record<Field, string | number>>>(record: A): Place => [
    record[field],
    record.id
  ]

/** The place of a record by its id only. */
export const placeById = ({ id }: { readonly id: string }): Place => [id]

/** A page of a list sorted by a text and then by id. */
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

/** The page with its items mapped. */
export const mapPage = <A, B>(page: Page<A>, f: (item: A) => B): Page<B> => ({
  ...page,
  items: page.items.map(f)
})

/** All items of a list, read page by page, each page after the end of the previous one. */
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
