/**
 * What a view of a list shows: filters, search, order and columns, as they are in the address and as the API keeps them.
 *
 * @module
 */
import { type Search, valuesOf } from "./search.ts"

/** A view as the API keeps it. */
export interface View {
  readonly query: {
    readonly filters: Readonly<Record<string, unknown>>
    readonly q: string | null
    readonly sort: string | null
  }
  /** Null for those of the list. */
  readonly columns: ReadonlyArray<string> | null
}

/** A column, as far as it is chosen. One without a visible head holds buttons, which are no choice. */
interface Choosable {
  readonly key: string
  readonly isHeadHidden?: boolean
}

/** The columns that can be left out: all but the first, which names the row, and those of buttons. */
export const choosable = <C extends Choosable>(columns: ReadonlyArray<C>): ReadonlyArray<C> =>
  columns.filter(({ isHeadHidden }, at) => at > 0 && isHeadHidden !== true)

/** The columns that are shown; `chosen` is the address's, undefined for all. */
export const shownColumns = <C extends Choosable>(
  columns: ReadonlyArray<C>,
  chosen: string | undefined
): ReadonlyArray<C> => {
  if (chosen === undefined) return columns
  const keys = valuesOf(chosen)
  const optional = choosable(columns)
  return columns.filter((column) => !optional.includes(column) || keys.includes(column.key))
}

/** The address's `columns` after one was chosen or left out; undefined where all are shown. */
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

/** The view of an address. */
export const viewOf = ({ columns, q, sort, ...filters }: Search): View => ({
  query: {
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    q: q ?? null,
    sort: sort === undefined || sort === "" ? null : sort
  },
  columns: columns === undefined ? null : valuesOf(columns)
})

/** The address of a view. */
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
