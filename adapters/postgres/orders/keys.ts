/**
 * Builds the keys of the index of orders' text, with which searches find orders. The keys are every run of 4 characters and
 * the shorter runs at the end. Each has a prefix for the account, the status, the group of stores and the range of days of
 * the order (migration 21, svc_order_keys).
 *
 * @module
 */
import type { OrderStatus } from "../../../core/model/Order.ts"

/** The length of a part. Few texts share a run of this many characters. */
const partLength = 4

/** The maximum number of parts of a search. */
const maxParts = 8

/** The letter of each status in a prefix. */
const letters: Readonly<Record<OrderStatus, string>> = {
  Draft: "d",
  Pending: "n",
  Paid: "p",
  Completed: "o",
  Cancelled: "c",
  Refunded: "r",
  Failed: "f"
}

const letterOf = `case k.status ${Object.entries(letters)
  .map(([status, letter]) => `when '${status}' then '${letter}'`)
  .join(" ")} end`

/** SQL for a store's group, which is a letter of the prefix. */
export const groupOf = (storeId: string): string => `get_byte(uuid_send(${storeId}), 15) & 7`

/** Runs of characters in every text that contains the search: the whole search, or pieces that cover or span it. */
export const searchParts = (search: string): ReadonlyArray<string> => {
  const characters = Array.from(search)
  const { length } = characters
  if (length <= partLength) return [search]
  // As few parts as cover the search; in a long search, spread evenly.
  const count = Math.min(maxParts, Math.ceil(length / partLength))
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (length - partLength)) / (count - 1))
  )
  return [...new Set(places.map((from) => characters.slice(from, from + partLength).join("")))]
}

/**
 * The end of an operand of a `tsquery`, after its quote and prefix. A part shorter than 4 characters matches the beginning of
 * a key.
 */
export const operandEnd = (part: string): string =>
  `${part.replaceAll(/['\\]/g, "$&$&")}'${Array.from(part).length < partLength ? ":*" : ""}`

/** The length of a range in days, as a power of two. */
const daysPower = 5

/**
 * SQL for the ranges in which a filter may find orders, oldest first: begin, end, and the prefixes of their keys. $1 is the
 * account. `given` has the rows of stores, and the parameters of statuses and of the first day.
 */
export const rangesText = (given: {
  readonly statuses: string
  readonly firstDay: string
  readonly stores: string
}): string => `
  select range, to_timestamp((range << ${daysPower}) * 86400.0) as begins,
    to_timestamp(((range + 1) << ${daysPower}) * 86400.0) as ends,
    array_agg(right($1::text, 6) || letter || store_group || lpad(to_hex(range & 255), 2, '0')) as marks
  from (
    select distinct c.day >> ${daysPower} as range, ${letterOf} as letter, chr(97 + (${groupOf("s.id")})) as store_group
    from ${given.stores} s
    cross join unnest(${given.statuses}::text[]) as k(status)
    cross join lateral (
      select day from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status and day >= ${given.firstDay}::int and orders > 0
      order by day
    ) c
  ) r group by range`
