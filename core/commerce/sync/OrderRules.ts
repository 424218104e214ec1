/**
 * Pure rules that apply updates of stores to orders: an older update changes nothing, any status can follow any other, and
 * each milestone is recorded once (docs/contributing/decisions.md 8).
 *
 * @module
 */
import type { Json } from "../../shared/Json.ts"
import type { Order, OrderMilestone, OrderStatus } from "../../model/Order.ts"
import type { OrderFacts } from "../platforms/StoreChange.ts"

/** Whether an update is older than the stored order. Of two with the same timestamp, the one that arrives later wins. */
export const isStale = (before: Order | undefined, at: number): boolean =>
  before !== undefined && at < before.sourceUpdatedAt

/** The contact of an order, and the order's searchable fields. */
export interface OrderOwner {
  readonly contactId: string | null
  readonly email: string | null
  readonly customerName: string | null
}

/** Returns the order after an update. A field that the update leaves out keeps its value. */
export const mergeOrder = (
  before: Order | undefined,
  facts: OrderFacts,
  owner: OrderOwner,
  at: number,
  fresh: { readonly id: string; readonly storeId: string }
): Order => {
  const { externalId, currency, lineCount, lines, number, placedAt, status, total } = facts
  const paidAt = facts.paidAt ?? before?.paidAt ?? null
  return {
    id: before?.id ?? fresh.id,
    storeId: before?.storeId ?? fresh.storeId,
    externalId,
    number: number ?? before?.number ?? null,
    status,
    currency,
    total,
    email: owner.email ?? before?.email ?? null,
    customerName: owner.customerName ?? before?.customerName ?? null,
    contactId: owner.contactId ?? before?.contactId ?? null,
    placedAt: before === undefined || before.status === "Draft" ? placedAt : before.placedAt,
    paidAt: paidAt ?? (isPaid(status) ? at : null),
    lineCount,
    lines,
    reached: before?.reached ?? [],
    sourceUpdatedAt: at,
    version: (before?.version ?? 0) + 1
  }
}

const isPaid = (status: OrderStatus): boolean => status === "Paid" || status === "Completed"

/** The milestones of a status. A completed order was paid. */
const milestonesOf = (status: OrderStatus): ReadonlyArray<OrderMilestone> => {
  if (status === "Draft") return []
  if (isPaid(status)) return ["Placed", "Paid"]
  return status === "Cancelled" || status === "Refunded" ? ["Placed", status] : ["Placed"]
}

/** Marks the milestones that must be recorded on the contact's timeline now; none while the order has no contact. */
export const reach = (
  order: Order
): { readonly order: Order; readonly milestones: ReadonlyArray<OrderMilestone> } => {
  const milestones =
    order.contactId === null
      ? []
      : milestonesOf(order.status).filter((milestone) => !order.reached.includes(milestone))
  return milestones.length === 0
    ? { order, milestones }
    : { order: { ...order, reached: [...order.reached, ...milestones] }, milestones }
}

/** The timeline event of each milestone. */
export const milestoneEvents: Readonly<Record<OrderMilestone, string>> = {
  Placed: "order.placed",
  Paid: "order.paid",
  Cancelled: "order.cancelled",
  Refunded: "order.refunded"
}

/** When a milestone was reached. */
export const milestoneAt = (order: Order, milestone: OrderMilestone): number =>
  milestone === "Placed"
    ? order.placedAt
    : milestone === "Paid"
      ? (order.paidAt ?? order.sourceUpdatedAt)
      : order.sourceUpdatedAt

/** The properties of an order in flows and templates. */
export const orderProperties = (order: Order): Readonly<Record<string, Json>> => ({
  orderId: order.id,
  storeId: order.storeId,
  externalId: order.externalId,
  number: order.number,
  status: order.status,
  currency: order.currency,
  total: Number(order.total),
  lineCount: order.lineCount
})
