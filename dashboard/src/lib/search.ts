/**
 * The search parameters of an address: filters, order and search text of a view, so that the view can be sent to someone.
 *
 * @module
 */

/** Parameters as they are in the address; several values are separated by commas. */
export type Search = Readonly<Record<string, string | undefined>>

/** Reads the search part of an address. The last of two parameters of one name counts. */
export const parseSearch = (search: string): Search => Object.fromEntries(new URLSearchParams(search))

/** Writes parameters as the search part of an address; empty ones are left out. */
export const writeSearch = (search: Readonly<Record<string, unknown>>): string => {
  const entries = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [[name, String(value)]]
  )
  // A comma and a colon need no escape in a query, and are easier to read without.
  const text = new URLSearchParams(entries).toString().replaceAll("%2C", ",").replaceAll("%3A", ":")
  return text === "" ? "" : `?${text}`
}

/** Makes the check of a view's parameters, which drops what the view does not have. */
export const onlySearch =
  <const Name extends string>(...names: ReadonlyArray<Name>) =>
  (search: Readonly<Record<string, unknown>>): { [K in Name]?: string | undefined } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return value === undefined || value === null || value === "" ? [] : [[name, String(value)]]
      })
    ) as { [K in Name]?: string | undefined }

/** Whether a view's parameters leave entries out: its order leaves none out. */
export const hasFilters = (search: Search): boolean =>
  Object.entries(search).some(([name, value]) => name !== "sort" && value !== undefined && value !== "")

/** Parameters that are times: days in the address. */
const times: ReadonlySet<string> = new Set([
  "since",
  "until",
  "lastEmailedSince",
  "lastOpenSince",
  "lastClickSince"
])

/** The beginning of a day in the browser's time zone; a value that is no day as it is, such as a time. */
const startOf = (day: string): string => {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

/** The parameters as the API takes them: days as the times at which they begin, and none that is empty. */
export const queryOf = (search: Search): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) =>
      value === undefined || value === "" ? [] : [[key, times.has(key) ? startOf(value) : value]]
    )
  )

/** The values of a parameter. */
export const valuesOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined || value === "" ? [] : value.split(",")

/** A parameter with a value added, or removed where it is there; undefined where none is left. */
export const toggleValue = (value: string | undefined, one: string): string | undefined => {
  const values = valuesOf(value)
  const next = values.includes(one) ? values.filter((other) => other !== one) : [...values, one]
  return next.length === 0 ? undefined : next.join(",")
}

/** The next order of a column that is asked to sort: ascending, descending, the list's own. */
export const nextSort = (current: string | undefined, key: string): string | undefined => {
  if (current === key) return `-${key}`
  return current === `-${key}` ? undefined : key
}
