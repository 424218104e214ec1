/**
 * Converts a list's view (filters, search text, order and columns) between the URL and the form in which the API stores it.
 *
 * @module
 */
import { type Search, valuesOf } from "./search.ts"

/** A view as the API stores it. */
export interface View {
  readonly query: {
    readonly filters: Readonly<Record<string, unknown>>
    readonly q: string | null
    readonly sort: string | null
  }
  /** Null for the list's default columns. */
  readonly columns: ReadonlyArray<string> | null
}

/** The properties of a column that matter here. A column without a visible heading holds buttons and cannot be hidden. */
interface Choosable {
  readonly key: string
  readonly isHeadHidden?: boolean
}

/** The columns that can be hidden: all except the first, which names the row, and those of buttons. */
export const choosable = <C extends Choosable>(columns: ReadonlyArray<C>): ReadonlyArray<C> =>
  columns.filter(({ isHeadHidden }, at) => at > 0 && isHeadHidden !== true)

/** The columns that are shown. `chosen` is the URL's parameter, undefined for all columns. */
export const shownColumns = <C extends Choosable>(
  columns: ReadonlyArray<C>,
  chosen: string | undefined
): ReadonlyArray<C> => {
  if (chosen === undefined) return columns
  const keys = valuesOf(chosen)
  const optional = choosable(columns)
  return columns.filter((column) => !optional.includes(column) || keys.includes(column.key))
}

/** The URL's `columns` after one was shown or hidden; undefined if all are shown. */
export const toggleColumn = (
  columns: ReadonlyArray<Choosable>,
  chosen: string | undefined,
  key: string
): string | undefined => {
  const optional = choosable(columns).map((column) => column.key)
  const shown = chosen === undefined ? optional : valuesOf(chosen)
  const next = optional.filter((one) => (one === key ? !shown.includes(one) : shown.includes(one)))
  // An empty parameter would be dropped from the address.
  return next.length === optional.length ? undefined : next.length === 0 ? "-" : next.join(",")
}

/** The view described by a URL. */
export const viewOf = ({ columns, q, sort, ...filters }: Search): View => ({
  query: {
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    q: q ?? null,
    sort: sort === undefined || sort === "" ? null : sort
  },
  columns: columns === undefined ? null : valuesOf(columns)
})

/** The URL parameters of a view. */
export const searchOf = ({ columns, query: { filters, q, sort } }: View): Search => ({
  ...Object.fromEntries(Object.entries(filters).map(([key, value]) => [key, String(value)])),
  ...(q === null ? {} : { q }),
  ...(sort === null ? {} : { sort }),
  ...(columns === null ? {} : { columns: columns.join(",") })
})

/** Whether two views show the same. */
export const isSameView = (one: View, other: View): boolean => {
  const text = (view: View) => JSON.stringify(Object.entries(searchOf(view)).toSorted())
  return text(one) === text(other)
}
