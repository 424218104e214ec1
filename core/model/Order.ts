/**
 * Orders of connected stores (public-api "Order summary", "Order status").
 *
 * @module
 */

import type { Contact } from "./Contact.ts"

/** Every order status, the same for every platform. */
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

/** What an order can reach that its contact's timeline tells, each once. */
export type OrderMilestone = "Placed" | "Paid" | "Cancelled" | "Refunded"

/** An order as stored. Times are epoch milliseconds. */
export interface Order {
  readonly id: string
  readonly storeId: string
  /** The platform's id, unique in the store; of a checkout that was left, the cart's id. */
  readonly externalId: string
  /** What people call it, such as `1001`. */
  readonly number: string | null
  readonly status: OrderStatus
  /** ISO 4217. */
  readonly currency: string
  /** An exact decimal in plain notation, less what was refunded of it. */
  readonly total: string
  /** Normalized; null where the store names none, or the person was erased. */
  readonly email: string | null
  readonly customerName: string | null
  /** Whose it is; null where nobody is known. */
  readonly contactId: string | null
  readonly placedAt: number
  readonly paidAt: number | null
  readonly lineCount: number
  /** What its contact's timeline has been told. */
  readonly reached: ReadonlyArray<OrderMilestone>
  /** The store's time of what is known; what is older changes nothing. */
  readonly sourceUpdatedAt: number
  /** Grows by one with every write. */
  readonly version: number
}

/** Whether an order counts among what its contact bought (decisions 8). */
export const isBought = (status: OrderStatus): boolean => status === "Paid" || status === "Completed"

/** The views of GET /commerce/orders. */
export const orderViews = ["All", "Paid", "Pending", "Abandoned", "Refunded"] as const

/** A view of an account's orders. */
export type OrderView = (typeof orderViews)[number]

/** The statuses a view shows. A checkout that was left is an order of status Draft. */
export const statusesOfView: Readonly<Record<OrderView, ReadonlyArray<OrderStatus>>> = {
  All: orderStatuses,
  Paid: ["Paid", "Completed"],
  Pending: ["Pending"],
  Abandoned: ["Draft"],
  Refunded: ["Refunded"]
}

/** What a contact bought: always what a recount of its orders gives. */
export interface ContactTotals {
  readonly contactId: string
  readonly orderCount: number
  /** An exact decimal in plain notation. */
  readonly totalSpent: string
  /** Epoch milliseconds. */
  readonly lastOrderAt: number
}

/** What a contact bought, as its fields; nothing where it has no order that counts. */
export const totalsOf = (totals: ContactTotals | undefined): Partial<Contact> => ({
  orderCount: totals?.orderCount ?? 0,
  totalSpent: totals?.totalSpent ?? "0",
  lastOrderAt: totals?.lastOrderAt ?? null,
  isPayingCustomer: totals !== undefined
})
