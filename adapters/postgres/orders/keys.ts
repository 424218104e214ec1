/**
 * What an index holds of a text, by which it finds where a search can be: every run of 4 characters, and the shorter ones
 * at its end, each marked with the account, the kind of status, the group of stores and the range of days of its order
 * (migration 20, svc_order_keys).
 *
 * @module
 */
import { type OrderStatus, orderStatuses } from "../../../core/commerce/Order.ts"

/** The characters of a part: few texts have so many in a row in common. */
const partLength = 4

/** The most parts of a search that are thought of. */
const maxParts = 8

/** Of each status, the letter of its kind. An order that goes its way stays of one kind, so that the index stays as it is. */
const kinds: Readonly<Record<OrderStatus, string>> = {
  Draft: "d",
  Pending: "o",
  Paid: "o",
  Completed: "o",
  Cancelled: "c",
  Refunded: "r",
  Failed: "f"
}

/** The kind of a status that a text is marked with. */
export const kindOf = (status: OrderStatus): string => kinds[status]

/** All statuses of the kinds of those, each once: what is found by kind has one of them. */
export const ofKinds = (statuses: ReadonlyArray<OrderStatus>): ReadonlyArray<OrderStatus> => {
  const asked = new Set(statuses.map(kindOf))
  return orderStatuses.filter((status) => asked.has(kindOf(status)))
}

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
 * $1 account; given are rows of stores, and parameters: statuses, their kinds, the first day.
 */
export const rangesText = (given: {
  readonly statuses: string
  readonly kinds: string
  readonly firstDay: string
  readonly stores: string
}): string => `
  select range, to_timestamp((range << ${daysPower}) * 86400.0) as begins,
    to_timestamp(((range + 1) << ${daysPower}) * 86400.0) as ends,
    array_agg(right($1::text, 6) || kind || store_group || lpad(to_hex(range & 255), 2, '0')) as marks
  from (
    select distinct c.day >> ${daysPower} as range, k.kind, chr(97 + (get_byte(uuid_send(s.id), 15) & 7)) as store_group
    from ${given.stores} s
    cross join rows from (unnest(${given.statuses}::text[]), unnest(${given.kinds}::text[])) as k(status, kind)
    cross join lateral (
      select day from order_counts
      where account_id = $1::uuid and store_id = s.id and status = k.status and day >= ${given.firstDay}::int and orders > 0
      order by day
    ) c
  ) r group by range`
