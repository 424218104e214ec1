/**
 * What a proven report changes: pure decisions over the table of DeliveryStatus (decisions 5).
 *
 * @module
 */
import type { RecipientReport } from "./DeliveryReport.ts"
import { canMove, type DeliveryReason, type DeliveryStatus, isPending } from "../../model/DeliveryStatus.ts"
import type { Delivery } from "../../model/Submission.ts"

/** What a report says of a delivery as a whole. */
export type Finding = Pick<RecipientReport, "outcome" | "reason">

/** A move that a report brings. */
export interface Arrival {
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
}

/**
 * What the reports of a notification say of a delivery. Every delivery has one recipient: several are what an alias or
 * a list behind it came to. Those named like the delivery's count, where there are any; they must all have ended the
 * same way, for else somebody got it.
 */
export const findingOf = (email: string, reports: ReadonlyArray<RecipientReport>): Finding | null => {
  const named = reports.filter(({ original, recipient }) => original === email || recipient === email)
  const counted = named.length > 0 ? named : reports
  const [first] = counted
  if (first === undefined) return null
  if (counted.every(({ outcome }) => outcome === "Delivered")) return first
  if (counted.some(({ outcome }) => outcome === "Delivered" || outcome === "Delayed")) return null
  // Failed for all of them. Only where each address was refused is the person's.
  return counted.find(({ outcome }) => outcome !== "Bounced") ?? first
}

/**
 * The move a finding brings; null for none. A server's own queue that gave up has used up its retries. What the
 * recipient's server took and refused later for anything but the address stays Delivered: the table knows no Failed
 * after it.
 */
export const arrivalOf = (status: DeliveryStatus, outcome: Finding["outcome"]): Arrival | null => {
  const arrival = targetOf(outcome)
  return arrival !== null && status !== "HandingOff" && canMove(status, arrival.to) ? arrival : null
}

const targetOf = (outcome: Finding["outcome"]): Arrival | null => {
  switch (outcome) {
    case "Delivered":
      return { to: "Delivered", reason: null }
    case "Bounced":
      return { to: "Bounced", reason: null }
    case "Refused":
      return { to: "Failed", reason: "sending.refused" }
    case "Deferred":
      return { to: "Failed", reason: "sending.retries_exhausted" }
    case "Delayed":
      return null
  }
}

/** Whether a complaint can be about a delivery: it left. */
export const canBeComplainedOf = ({ status }: Pick<Delivery, "status">): boolean =>
  !isPending(status) && status !== "Suppressed"
