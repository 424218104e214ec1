/**
 * The filters of the list of people: as they are in the address, and as the API takes them.
 *
 * @module
 */
import type { Search } from "../../lib/search.ts"

/** Filters whose values are days, such as 2026-03-01. */
export const dayKeys = ["since", "until", "lastEmailedSince", "lastOpenSince", "lastClickSince"] as const

/** Filters that are typed. */
export const typedKeys = ["tag", "country", "language", "storeId"] as const

/** Filters of the dialog. */
export const moreKeys = [...typedKeys, ...dayKeys] as const

/** The beginning of a day in the browser's time zone; a value that is no day as it is, which the API refuses. */
const startOf = (day: string): string => {
  const at = new Date(`${day}T00:00:00`)
  return Number.isNaN(at.getTime()) ? day : at.toISOString()
}

/** The filters that the API is given. */
export const filterOf = (search: Search): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(search).flatMap(([key, value]) => {
      if (key === "sort" || value === undefined || value === "") return []
      return [[key, (dayKeys as ReadonlyArray<string>).includes(key) ? startOf(value) : value]]
    })
  )
