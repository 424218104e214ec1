/**
 * The states of a delivery and the allowed transitions between them, in one table (docs/contributing/decisions.md 5).
 *
 * @module
 */

/** Every state of a delivery. */
export const deliveryStatuses = [
  "Queued",
  "Sent",
  "Failed",
  "Suppressed",
  "Delivered",
  "Bounced",
  "HandingOff",
  "Accepted",
  "Unknown",
  "PendingReview"
] as const

/** The state of a delivery. */
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why a delivery waits, failed or was suppressed. */
export const deliveryReasons = [
  "sending.gate_bounced",
  "sending.gate_complained",
  "sending.gate_protected",
  "sending.gate_consent",
  "sending.no_verified_sender",
  "sending.scheduled",
  "sending.daily_cap",
  "sending.retrying",
  "sending.tls_required",
  "sending.provider_held",
  "sending.sender_held",
  "sending.relay_unavailable",
  "sending.warming_up",
  "sending.refused",
  "sending.mailbox_full",
  "sending.retries_exhausted",
  "sending.held_too_long",
  "sending.given_up",
  "sending.outcome_unknown",
  "sending.campaign_paused",
  "sending.relay_suppressed",
  "sending.cancelled",
  "sending.in_review",
  "sending.review_refused",
  "sending.standing_held"
] as const

/** The reasons of deliveries that a suspension holds. */
export const heldReasons = ["sending.provider_held", "sending.sender_held"] as const

const heldReasonSet: ReadonlySet<string | null> = new Set(heldReasons)

/** Whether a reason means that a suspension holds the delivery. */
export const isHeldReason = (reason: string | null): boolean => heldReasonSet.has(reason)

/**
 * The reasons of deliveries that are not due although their time has come, because a person must act first or the account's daily
 * limit is used up. The time spent waiting for them does not count towards how long a delivery may be held.
 */
export const notDueReasons = [
  "sending.no_verified_sender",
  "sending.daily_cap",
  "sending.campaign_paused",
  "sending.in_review"
] as const

const notDueReasonSet: ReadonlySet<string | null> = new Set(notDueReasons)

/** How long a delivery has waited without being due at a time, milliseconds, from its reason and its last change. */
export const notDueMillis = (
  {
    notDue,
    reason,
    updatedAt
  }: { readonly notDue: number; readonly reason: string | null; readonly updatedAt: number },
  now: number
): number => (notDueReasonSet.has(reason) ? notDue + Math.max(0, now - updatedAt) : notDue)

/** Why a delivery is in its state. */
export type DeliveryReason = (typeof deliveryReasons)[number]

/**
 * The states that can follow each state. No other move happens. A delivery leaves Failed and Suppressed only when a report states
 * more than the previous one.
 */
export const deliveryMoves: Readonly<Record<DeliveryStatus, ReadonlyArray<DeliveryStatus>>> = {
  Queued: ["HandingOff", "PendingReview", "Suppressed"],
  PendingReview: ["Queued", "Failed"],
  HandingOff: ["Delivered", "Accepted", "Sent", "Queued", "Bounced", "Failed", "Unknown"],
  Sent: ["Delivered", "Bounced", "Failed"],
  Accepted: ["Delivered", "Bounced", "Failed", "Suppressed"],
  Delivered: ["Bounced"],
  Bounced: [],
  Failed: ["Delivered", "Bounced"],
  Suppressed: ["Delivered", "Bounced", "Failed"],
  Unknown: ["Delivered", "Bounced", "Failed"]
}

/** Whether a delivery can move from one state to another. */
export const canMove = (from: DeliveryStatus, to: DeliveryStatus): boolean => deliveryMoves[from].includes(to)

/** The states of deliveries that are not sent yet. Their content is kept. */
export const pendingStatuses = ["Queued", "PendingReview", "HandingOff"] as const

/** Whether a delivery is not sent yet. */
export const isPending = (status: DeliveryStatus): boolean =>
  (pendingStatuses as ReadonlyArray<DeliveryStatus>).includes(status)

/** The status of a submission: that of all its deliveries if it is the same, otherwise Mixed. */
export const commonStatus = (
  deliveries: ReadonlyArray<{ readonly status: DeliveryStatus }>
): DeliveryStatus | "Mixed" => {
  const first = deliveries[0]?.status ?? "Queued"
  return deliveries.every((delivery) => delivery.status === first) ? first : "Mixed"
}

/** The reason of a submission: that of all its deliveries if it is the same, otherwise null. */
export const commonReason = (
  deliveries: ReadonlyArray<{ readonly reason: DeliveryReason | null }>
): DeliveryReason | null => {
  const first = deliveries[0]?.reason ?? null
  return deliveries.every((delivery) => delivery.reason === first) ? first : null
}
