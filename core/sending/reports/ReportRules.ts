/**
 * Decides the consequences of a proven report: pure functions over the states of `DeliveryStatus`
 * (docs/contributing/decisions.md 5).
 *
 * @module
 */
import type { AddressReport } from "../../audience/contacts/ConsentUpdates.ts"
import type { EmailEvent, EmailEventType } from "../../model/EmailEvent.ts"
import type { RecipientReport } from "./DeliveryReport.ts"
import type { AttemptOutcome } from "../../model/Message.ts"
import { canMove, type DeliveryReason, type DeliveryStatus, isPending } from "../../model/DeliveryStatus.ts"
import type { Delivery } from "../../model/Submission.ts"

/** The result of a report for a delivery as a whole. */
export type Finding = Pick<RecipientReport, "outcome" | "reason">

/** The state to which a report moves a delivery, with its reason. */
interface Arrival {
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
}

/** The meaning of a proven report for a delivery. `HeldBack` is a message that the relay's own suppression list stopped. */
export type DeliveryFinding =
  | {
      readonly _tag: "Result"
      readonly outcome: Finding["outcome"] | "HeldBack"
      readonly reason: string | null
    }
  | { readonly _tag: "Complaint"; readonly kind: string }

/** The changes that the reports of a batch make to a delivery. */
export interface Consequence {
  readonly delivery: Delivery
  /** The moves in order; empty if its state does not change. */
  readonly moves: ReadonlyArray<Arrival>
  readonly events: ReadonlyArray<Pick<EmailEvent, "type" | "reason">>
  /** The reason for which its address is suppressed; null if it is not. */
  readonly addressReport: AddressReport["kind"] | null
}

/**
 * Combines the recipients of a report into the finding for a delivery to `email`; null if there is none. A delivery has one
 * recipient, so several are the members of an alias or list. If any have the delivery's address, only those count. All of them
 * must have ended the same way, delivered or not, since otherwise a person received the email.
 */
export const findingOf = (email: string, reports: ReadonlyArray<RecipientReport>): Finding | null => {
  const named = reports.filter(({ original, recipient }) => original === email || recipient === email)
  const counted = named.length > 0 ? named : reports
  const [first] = counted
  if (first === undefined) return null
  if (counted.every(({ outcome }) => outcome === "Delivered")) return first
  if (counted.some(({ outcome }) => outcome === "Delivered" || outcome === "Delayed")) return null
  // It failed for all. It is Bounced only if every address was rejected permanently.
  return counted.find(({ outcome }) => outcome !== "Bounced") ?? first
}

/** The state of a delivery, as far as it decides which reports apply. */
export type ReportedState = Pick<Delivery, "status" | "reason">

/**
 * The move that a finding causes; null if it causes none. If a server gave up after its own retries, the retries are
 * exhausted. A delivery that the recipient's server accepted, and later rejected for a reason other than the address, stays
 * Delivered, since no Failed state follows it. Contradictory reports lead to the same state in any order: a more conclusive
 * report corrects the state of a less conclusive one.
 *
 * @param isReported whether the state comes from an earlier report, for states where this is possible: `canBeCorrected`
 */
export const arrivalOf = (
  { reason, status }: ReportedState,
  outcome: Finding["outcome"] | "HeldBack",
  isReported = false
): Arrival | null => {
  const arrival = arrivals[outcome]
  if (arrival === null || status === "HandingOff") return null
  if (status !== "Failed" && status !== "Suppressed") return canMove(status, arrival.to) ? arrival : null
  return isReported && weightOf(arrival) > weightOf({ to: status, reason }) ? arrival : null
}

/**
 * Whether a report may have moved a delivery to its state. A report makes a delivery Failed only if a server had accepted the
 * message, or may have, which its last attempt shows.
 */
export const canBeCorrected = (
  { reason, status }: ReportedState,
  attempted: AttemptOutcome | null
): boolean =>
  status === "Suppressed"
    ? reason === "sending.relay_suppressed"
    : status === "Failed" && attempted !== null && handedOn.has(attempted)

/** The outcomes of attempts after which a server may have the message and report on it. */
const handedOn: ReadonlySet<AttemptOutcome> = new Set(["Accepted", "Sent", "Unknown", "Lost"])

/**
 * How conclusive a state is: a final result of the message counts more than that it was held back or attempted without
 * success.
 */
const weightOf = ({ reason, to }: Arrival): number => {
  if (to === "Bounced") return weights.length + 1
  return to === "Delivered" ? weights.length : weights.indexOf(reason)
}
const weights: ReadonlyArray<DeliveryReason | null> = [
  "sending.relay_suppressed",
  "sending.retries_exhausted",
  "sending.mailbox_full",
  "sending.refused"
]

const arrivals: Readonly<Record<Finding["outcome"] | "HeldBack", Arrival | null>> = {
  Delivered: { to: "Delivered", reason: null },
  Bounced: { to: "Bounced", reason: null },
  MailboxFull: { to: "Failed", reason: "sending.mailbox_full" },
  Refused: { to: "Failed", reason: "sending.refused" },
  Deferred: { to: "Failed", reason: "sending.retries_exhausted" },
  HeldBack: { to: "Suppressed", reason: "sending.relay_suppressed" },
  Delayed: null
}

/**
 * Whether the recipient of a delivery in a state can complain about it or unsubscribe by it, because it was sent. If a
 * recipient does, a relay's statement that it held the message back is disregarded.
 */
export const canBeComplainedOf = ({ reason, status }: ReportedState): boolean =>
  !isPending(status) && (status !== "Suppressed" || reason === "sending.relay_suppressed")

/**
 * The changes that findings make to a delivery. Each finding moves it from the state after those before, and the first
 * complaint counts. Null if they change nothing.
 *
 * @param isReported as for `arrivalOf`
 */
export const consequenceOf = (
  delivery: Delivery,
  findings: ReadonlyArray<DeliveryFinding>,
  isReported: boolean
): Consequence | null => {
  let state: ReportedState = delivery
  const moves: Array<Arrival> = []
  const events: Array<Consequence["events"][number]> = []
  let addressReport: Consequence["addressReport"] = null
  let isComplainedOf = delivery.complainedAt !== null
  for (const finding of findings) {
    if (finding._tag === "Complaint") {
      if (isComplainedOf || !canBeComplainedOf(state)) continue
      isComplainedOf = true
      addressReport = "Complained"
      events.push({ type: "email.complained", reason: finding.kind })
      continue
    }
    const arrival = arrivalOf(state, finding.outcome, isReported || moves.length > 0)
    if (arrival === null) continue
    moves.push(arrival)
    for (const type of eventsOfArrival(state.status, arrival.to)) {
      events.push({ type, reason: type === "email.bounced" ? finding.reason : null })
    }
    if (arrival.to === "Bounced") addressReport ??= "Bounced"
    state = { status: arrival.to, reason: arrival.reason }
  }
  return moves.length + events.length === 0 ? null : { delivery, moves, events, addressReport }
}

/** A delivery whose outcome was unknown has no email.sent event yet. */
const eventsOfArrival = (from: DeliveryStatus, to: DeliveryStatus): ReadonlyArray<EmailEventType> => {
  if (to === "Bounced") return ["email.bounced"]
  if (to !== "Delivered") return []
  return from === "Unknown" ? ["email.sent", "email.delivered"] : ["email.delivered"]
}
