/**
 * What a store's word does to an order, purely: what is older changes nothing, statuses move freely, and each milestone is
 * told once (decisions 8).
 *
 * @module
 */
import type { Json } from "../../shared/Json.ts"
import type { Order, OrderMilestone, OrderStatus } from "../../model/Order.ts"
import type { OrderFacts } from "../platforms/StoreChange.ts"

/** Whether a store's word of an order is older than what is known; of two of one moment the later to arrive counts. */
export const isStale = (before: Order | undefined, at: number): boolean =>
  before !== undefined && at < before.sourceUpdatedAt

/** Whose an order is, and how it is found. */
export interface OrderOwner {
  readonly contactId: string | null
  readonly email: string | null
  readonly customerName: string | null
}

/** The order as the store tells it now. Nothing that was told once is forgotten because it is not told again. */
export const mergeOrder = (
  before: Order | undefined,
  facts: OrderFacts,
  owner: OrderOwner,
  at: number,
  fresh: { readonly id: string; readonly storeId: string }
): Order => {
  const { externalId, currency, lineCount, number, placedAt, status, total } = facts
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
    reached: before?.reached ?? [],
    sourceUpdatedAt: at,
    version: (before?.version ?? 0) + 1
  }
}

const isPaid = (status: OrderStatus): boolean => status === "Paid" || status === "Completed"

/** The milestones an order has reached as it is. A completed order was paid. */
const milestonesOf = (status: OrderStatus): ReadonlyArray<OrderMilestone> => {
  if (status === "Draft") return []
  if (isPaid(status)) return ["Placed", "Paid"]
  return status === "Cancelled" || status === "Refunded" ? ["Placed", status] : ["Placed"]
}

/** The order with what its contact's timeline is to be told now; nothing while it is nobody's. */
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

/** What flows and templates see of an order. */
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
