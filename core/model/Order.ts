/**
 * Orders of connected stores (docs/contributing/public-api.md "Order summary", "Order status").
 *
 * @module
 */

import { foldCase } from "../shared/Validate.ts"
import type { Contact } from "./Contact.ts"

/** The order statuses, which are the same for every platform. */
export const orderStatuses = [
  "Pending",
  "Paid",
  "Completed",
  "Cancelled",
  "Refunded",
  "Failed",
  "Draft"
] as const

/** The status of an order. */
export type OrderStatus = (typeof orderStatuses)[number]

/** The statuses of an order that become timeline events, each at most once. */
export type OrderMilestone = "Placed" | "Paid" | "Cancelled" | "Refunded"

/** A line of an order or a cart. */
export interface OrderLine {
  /** The platform's id of the product. */
  readonly productId: string | null
  readonly name: string
  readonly quantity: number
  /** The price of one unit: an exact decimal in plain notation; null if the store gave none. */
  readonly price: string | null
}

/** The most lines of an order or a cart that are kept. */
export const maxOrderLines = 50

/** An order as stored. Times are epoch milliseconds. */
export interface Order {
  readonly id: string
  readonly storeId: string
  /** The platform's id, unique in the store; for an abandoned checkout, the id of the cart. */
  readonly externalId: string
  /** The number that people see, such as `1001`. */
  readonly number: string | null
  readonly status: OrderStatus
  /** ISO 4217. */
  readonly currency: string
  /** The total less refunds: an exact decimal in plain notation. */
  readonly total: string
  /** Normalized; null if the store stated none, or if the person was erased. */
  readonly email: string | null
  readonly customerName: string | null
  /** The id of its contact; null without one. */
  readonly contactId: string | null
  readonly placedAt: number
  readonly paidAt: number | null
  readonly lineCount: number
  /** The first lines of the order; none for an order that an earlier version stored. */
  readonly lines: ReadonlyArray<OrderLine>
  /** The statuses that are already on its contact's timeline. */
  readonly reached: ReadonlyArray<OrderMilestone>
  /** The store's time of this state; older updates are ignored. */
  readonly sourceUpdatedAt: number
  /** Increases by one with every write. */
  readonly version: number
}

/** The length to which the first number in a name is padded for sorting. */
const sortedDigits = 20

/**
 * The key by which orders are sorted by name: the displayed number in the form of `foldCase`. It is prefixed by the text up to
 * its first digits and these digits padded to a fixed length, so that 999 comes before 1000. Empty without a number.
 */
export const nameOfOrder = ({ number }: Pick<Order, "number">): string => {
  const name = foldCase(number ?? "")
  const digits = /[0-9]+/.exec(name)
  if (digits === null) return name
  const padded = digits[0].slice(0, sortedDigits).padStart(sortedDigits, "0")
  return `${name.slice(0, digits.index)}${padded}${name}`
}

/** Whether an order counts towards its contact's totals (docs/contributing/decisions.md 8). */
export const isBought = (status: OrderStatus): boolean => status === "Paid" || status === "Completed"

/** The statuses of orders that count as revenue: placed, and neither undone nor failed. */
export const earningStatuses: ReadonlyArray<OrderStatus> = ["Pending", "Paid", "Completed"]

/** Whether an order of a status counts as revenue. */
export const isEarning = (status: OrderStatus): boolean => earningStatuses.includes(status)

/** An exact sum of money in one currency. */
export interface Amount {
  /** ISO 4217. */
  readonly currency: string
  /** An exact decimal in plain notation. */
  readonly amount: string
}

/** Whether an order was placed, even if it was cancelled or refunded since. A draft was not placed. */
export const isPlaced = (status: OrderStatus): boolean => status !== "Draft"

/** The views of GET /commerce/orders. */
export const orderViews = ["All", "Paid", "Pending", "Abandoned", "Refunded"] as const

/** A view of an account's orders. */
export type OrderView = (typeof orderViews)[number]

/** The order statuses that a view shows. An abandoned checkout is an order with the status Draft. */
export const statusesOfView: Readonly<Record<OrderView, ReadonlyArray<OrderStatus>>> = {
  All: orderStatuses,
  Paid: ["Paid", "Completed"],
  Pending: ["Pending"],
  Abandoned: ["Draft"],
  Refunded: ["Refunded"]
}

/** The order totals of a contact, always equal to a recount of its orders. */
export interface ContactTotals {
  readonly contactId: string
  readonly orderCount: number
  /** An exact decimal in plain notation. */
  readonly totalSpent: string
  /** Epoch milliseconds. */
  readonly lastOrderAt: number
}

/** A contact's totals as its fields; zero if no order counts. */
export const totalsOf = (totals: ContactTotals | undefined): Partial<Contact> => ({
  orderCount: totals?.orderCount ?? 0,
  totalSpent: totals?.totalSpent ?? "0",
  lastOrderAt: totals?.lastOrderAt ?? null,
  isPayingCustomer: totals !== undefined
})
