/**
 * The search parameters of a URL: filters, order and search text of a list, so that a link to the view can be shared.
 *
 * @module
 */

/** The parameters as in the URL. Several values of a parameter are separated by commas. */
export type Search = Readonly<Record<string, string | undefined>>

/** Parses the search part of a URL. If a parameter is repeated, its last value counts. */
export const parseSearch = (search: string): Search => Object.fromEntries(new URLSearchParams(search))

/** Formats parameters as the search part of a URL. Empty ones are left out. */
export const writeSearch = (search: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]]
  )
  // Commas and colons need no escaping in a query, and are easier to read unescaped.
  const text = new URLSearchParams(entries).toString().replaceAll("%2C", ",").replaceAll("%3A", ":")
  return text === "" ? "" : `?${text}`
}

/** Makes a function that validates a view's parameters by dropping the ones the view does not have. */
export const onlySearch =
  <const Name extends string>(...names: ReadonlyArray<Name>) =>
  (search: Readonly<Record<string, unknown>>): { [K in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return value === undefined || value === null || value === "" ? [] : [[name, String(value)]]
      })
    ) as { [K in Name]?: string | undefined }

/** Whether the parameters filter entries out, which the order and the columns do not. */
export const hasFilters = (search: Search): boolean =>
  Object.entries(search).some(([name, value]) => name !== "sort" && value !== undefined && value !== "")

/** Parameters that are times. The URL has them as days. */
const times: ReadonlySet<string> = new Set([
  "since",
  "until",
  "lastEmailedSince",
  "lastOpenSince",
  "lastClickSince"
])

/** The beginning of a day in the browser's time zone. A value that is not a day, such as a timestamp, is returned unchanged. */
const startOf = (day: string): string => {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

/** The parameters as the API takes them: days as the times at which they begin, and without empty ones. */
export const queryOf = (search: Search): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      value === undefined || value === "" ? [] : [[key, times.has(key) ? startOf(value) : value]]
    )
  )

/** The parameters that are not filters: what is open, chosen or shown in a list. */
const ofView: ReadonlySet<string> = new Set(["columns", "of", "panel", "selected", "shown"])

/** The parameters of a URL that filter, search or sort the list. */
export const filtersOf = (search: Search): Search =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !ofView.has(name)))

/** The values of a parameter. */
export const valuesOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined || value === "" ? [] : value.split(",")

/** A parameter with a value added, or removed if it is already there; undefined if none is left. */
export const toggleValue = (value: string | undefined, one: string): string | undefined => {
  const values = valuesOf(value)
  const next = values.includes(one) ? values.filter((other) => other !== one) : [...values, one]
  return next.length === 0 ? undefined : next.join(",")
}

/** The next order after a click on a column: ascending, then descending, then the list's default. */
export const nextSort = (current: string | undefined, key: string): string | undefined => {
  if (current === key) return `-${key}`
  return current === `-${key}` ? undefined : key
}
