/**
 * Decides what a proven report changes: pure functions over the states of `DeliveryStatus`
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { RecipientReport } from "./DeliveryReport.ts"
import { canMove, type DeliveryReason, type DeliveryStatus, isPending } from "../../model/DeliveryStatus.ts"
import type { Delivery } from "../../model/Submission.ts"

/** The result of a report for a delivery as a whole. */
export type Finding = Pick<RecipientReport, "outcome" | "reason">

/** The state that a report moves a delivery to. */
export interface Arrival {
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
}

/**
 * Combines the recipients of a report into the finding for a delivery to `email`; null when there is none. A delivery has
 * one recipient: several are the members of an alias or list. Only those with the delivery's address count, where there
 * are any. They must all have ended the same way, since otherwise a person received the email.
 */
export const findingOf = (email: string, reports: ReadonlyArray<RecipientReport>): Finding | null => {
  const named = reports.filter(({ original, recipient }) => original === email || recipient === email)
  const counted = named.length > 0 ? named : reports
  const [first] = counted
  if (first === undefined) return null
  if (counted.every(({ outcome }) => outcome === "Delivered")) return first
  if (counted.some(({ outcome }) => outcome === "Delivered" || outcome === "Delayed")) return null
  // Failed for all. Bounced only when every address was rejected permanently.
  return counted.find(({ outcome }) => outcome !== "Bounced") ?? first
}

/**
 * The move of a finding; null for none. When a server gave up after its own retries, the retries are exhausted. A delivery
 * that the recipient's server accepted, and rejected later for a reason other than the address, stays Delivered: the
 * states have no Failed after it.
 */
export const arrivalOf = (status: DeliveryStatus, outcome: Finding["outcome"]): Arrival | null => {
  const arrival = arrivals[outcome]
  return arrival !== null && status !== "HandingOff" && canMove(status, arrival.to) ? arrival : null
}

const arrivals: Readonly<Record<Finding["outcome"], Arrival | null>> = {
  Delivered: { to: "Delivered", reason: null },
  Bounced: { to: "Bounced", reason: null },
  MailboxFull: { to: "Failed", reason: "sending.mailbox_full" },
  Refused: { to: "Failed", reason: "sending.refused" },
  Deferred: { to: "Failed", reason: "sending.retries_exhausted" },
  Delayed: null
}

/** Whether a complaint can be about a delivery: it was sent. */
export const canBeComplainedOf = ({ status }: Pick<Delivery, "status">): boolean =>
  !isPending(status) && status !== "Suppressed"
