/**
 * Decodes the request for a page of a list, and encodes its response.
 *
 * A cursor has the position of a page's last item and a mark: a hash of the route with its parameters, the order, and the
 * names of the filters that are set. A cursor with another mark is rejected. Cursors are not secret and give no access.
 *
 * @module
 */
import {
  defaultPageSize,
  type Page,
  type PageRequest,
  type Place,
  type PlaceKind,
  type Sort
} from "../../../core/shared/Page.ts"
import { issue, type Issue } from "../../../core/shared/Problem.ts"
import { isUuid } from "../../../core/shared/Uuid.ts"
import { isStorable } from "../../../core/shared/Validate.ts"
import type { ListOrder } from "../schema/Lists.ts"

/** The requested page of a list, and the mark of its cursors. */
export interface ListCall extends PageRequest {
  readonly mark: string
}

/** The decoded parameters of a list other than its filters. */
export interface ListParameters {
  readonly page: number | null
  readonly pageSize: number | null
  readonly limit: number | null
  readonly after: string | null
  readonly sort: string | null
  readonly count: string | null
}

/** The names of the parameters that are not filters. */
export const listParameters: ReadonlySet<string> = new Set<keyof ListParameters>([
  "page",
  "pageSize",
  "limit",
  "after",
  "sort",
  "count"
])

const firstTime = Date.UTC(1000, 0, 1)
const lastTime = Date.UTC(10_000, 0, 1) - 1
const maxCount = 2_147_483_647
const maxText = 1_000

const isOfKind: Readonly<Record<PlaceKind, (value: unknown) => boolean>> = {
  Count: (value) => Number.isInteger(value) && Math.abs(value as number) <= maxCount,
  Id: (value) => typeof value === "string" && isUuid(value),
  Text: (value) => typeof value === "string" && value.length <= maxText && isStorable(value),
  Time: (value) => Number.isInteger(value) && (value as number) >= firstTime && (value as number) <= lastTime
}

/** FNV-1a, 32 bits, in base 36. */
const markOf = (text: string): string => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(36)
}

const encodeCursor = (mark: string, place: Place): string => {
  const bytes = new TextEncoder().encode(JSON.stringify([mark, ...place]))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
}

const maxCursor = 4_000

/** The position in a cursor; null if the string is not a cursor with this mark. */
const decodeCursor = (text: string, mark: string, kinds: ReadonlyArray<PlaceKind>): Place | null => {
  if (text.length > maxCursor || !/^[\w-]+$/.test(text)) return null
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"))
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
    const found: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    if (!Array.isArray(found) || found.length !== kinds.length + 1 || found[0] !== mark) return null
    const place = found.slice(1)
    return kinds.every((kind, index) => isOfKind[kind](place[index])) ? (place as Place) : null
  } catch {
    return null
  }
}

const sortOf = (text: string): Sort =>
  text.startsWith("-") ? { by: text.slice(1), ascending: false } : { by: text, ascending: true }

/**
 * Decodes the page that the parameters request. Fails with validation.format on `after` if it is combined with `page` or is
 * not a cursor of this list, and on `limit` if `pageSize` differs from it.
 *
 * @param path the route's path; `filters` are the names of the filters that are set
 */
export const decodeListCall = (
  { after, count, limit, page, pageSize, sort }: ListParameters,
  order: ListOrder,
  route: { readonly path: string; readonly params: object; readonly filters: ReadonlyArray<string> },
  issues: Array<Issue>
): ListCall => {
  const sorted = sort ?? order.otherwise
  const mark = markOf(JSON.stringify([route.path, route.params, sorted, route.filters]))
  const { ascending, by } = sortOf(sorted)
  const invalid = (field: string, expected: string) =>
    issues.push(issue("validation.format", field, null, { expected }))
  let place: Place | null = null
  if (after !== null) {
    place = decodeCursor(after, mark, order.places[by] ?? [])
    if (page !== null) invalid("after", "absent where page is given")
    else if (place === null) invalid("after", "next of a page of this list, with the same sort and filters")
  }
  if (limit !== null && pageSize !== null && limit !== pageSize)
    invalid("limit", "equal to pageSize, or absent")
  return {
    page: page ?? 1,
    pageSize: limit ?? pageSize ?? defaultPageSize,
    after: place,
    sort: { by, ascending },
    total: page === null && count === null ? "Bounded" : "Exact",
    mark
  }
}

/** The value of a filter that has two possible values. Giving both is the same as no filter. */
export const only = <Value>(values: ReadonlyArray<Value> | null): Value | null =>
  values?.length === 1 ? values[0]! : null

/** As `only`, for a filter whose values are `true` and `false`. */
export const isTrue = (values: ReadonlyArray<"true" | "false"> | null): boolean | null => {
  const value = only(values)
  return value === null ? null : value === "true"
}

/** The response of a list. */
export const listed = <A, B>(call: ListCall, found: Page<A>, encode: (item: A) => B) => ({
  items: found.items.map(encode),
  page: (call.after ?? null) === null ? found.page : null,
  pageSize: found.pageSize,
  next: found.next === null ? null : encodeCursor(call.mark, found.next),
  totalCount: found.totalCount,
  totalIsExact: found.totalIsExact
})

/** The response of a list of the public API, which has page numbers only. */
export const paged = <A, B>({ items, page, pageSize, totalCount }: Page<A>, encode: (item: A) => B) => ({
  items: items.map(encode),
  page,
  pageSize,
  totalCount
})
