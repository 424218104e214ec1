/**
 * What an index holds of a text, by which it finds where a search can be: every run of 4 characters, and the shorter ones
 * at its end, each marked with the account, the status, the group of stores and the range of days of its order
 * (migration 21, svc_order_keys).
 *
 * @module
 */
import type { OrderStatus } from "../../../core/model/Order.ts"

/** The characters of a part: few texts have so many in a row in common. */
const partLength = 4

/** The most parts of a search that are thought of. */
const maxParts = 8

/** Of each status, the letter that a text is marked with. */
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

/** SQL of the group of a store, of which a text is marked with a letter. */
export const groupOf = (storeId: string): string => `get_byte(uuid_send(${storeId}), 15) & 7`

/** Runs of characters that every text has which contains the search: all of it, or pieces that cover or span it. */
export const searchParts = (search: string): ReadonlyArray<string> => {
  const characters = Array.from(search)
  const { length } = characters
  if (length <= partLength) return [search]
  // As few as cover it, or evenly over a long one.
  const count = Math.min(maxParts, Math.ceil(length / partLength))
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (length - partLength)) / (count - 1))
  )
  return [...new Set(places.map((from) => characters.slice(from, from + partLength).join("")))]
}

/**
 * A part as it ends an operand of a `tsquery`, which begins with a quote and a mark. One that is shorter is the beginning
 * of what is indexed.
 */
export const operandEnd = (part: string): string =>
  `${part.replaceAll(/['\\]/g, "$&$&")}'${Array.from(part).length < partLength ? ":*" : ""}`

/** The days of a range that keys are marked with, as a power of two. */
const daysPower = 5

/**
 * SQL of the ranges in which a filter may find orders, the newest last: from when until when, and the marks of their keys.
 * $1 account; given are rows of stores, and parameters: statuses, the first day.
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
