/**
 * Decides what a proven report changes: pure functions over the states of `DeliveryStatus`
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

/** The state that a report moves a delivery to. */
interface Arrival {
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
}

/** What a proven report says about a delivery. `HeldBack` is a message that the relay's own suppression list stopped. */
export type DeliveryFinding =
  | {
      readonly _tag: "Result"
      readonly outcome: Finding["outcome"] | "HeldBack"
      readonly reason: string | null
    }
  | { readonly _tag: "Complaint"; readonly kind: string }

/** What the reports of a batch change of a delivery. */
export interface Consequence {
  readonly delivery: Delivery
  /** The moves, one after another; none where its state stays. */
  readonly moves: ReadonlyArray<Arrival>
  readonly events: ReadonlyArray<Pick<EmailEvent, "type" | "reason">>
  /** What its address is suppressed for; null where it is not. */
  readonly addressReport: AddressReport["kind"] | null
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

/** The state of a delivery that reports may be about. */
export type ReportedState = Pick<Delivery, "status" | "reason">

/**
 * The move of a finding; null for none. When a server gave up after its own retries, the retries are exhausted. A delivery
 * that the recipient's server accepted, and rejected later for a reason other than the address, stays Delivered: the
 * states have no Failed after it. Reports that contradict one another lead to the same state in any order: one that says
 * more moves a delivery out of what another has said.
 *
 * @param isReported whether its state is what an earlier report said, where it can be: `canBeCorrected`
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
 * Whether a delivery may have been moved to its state by a report. It was Failed by one only where a server had accepted the
 * message, or may have, which its last attempt shows.
 */
export const canBeCorrected = (
  { reason, status }: ReportedState,
  attempted: AttemptOutcome | null
): boolean =>
  status === "Suppressed"
    ? reason === "sending.relay_suppressed"
    : status === "Failed" && attempted !== null && handedOn.has(attempted)

/** The outcomes of attempts after which a message may be with a server that reports on it. */
const handedOn: ReadonlySet<AttemptOutcome> = new Set(["Accepted", "Sent", "Unknown", "Lost"])

/** How much an arrival says: what became of a message at last counts more than that it was held back or tried in vain. */
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
 * Whether the recipient of a delivery in a state can complain of it, or unsubscribe by it: it was sent. A relay that says it held
 * a message back is not believed against its recipient.
 */
export const canBeComplainedOf = ({ reason, status }: ReportedState): boolean =>
  !isPending(status) && (status !== "Suppressed" || reason === "sending.relay_suppressed")

/**
 * What findings change of a delivery, in their order: each moves it from where the ones before left it, and its first
 * complaint counts. Null where they change nothing.
 *
 * @param isReported as `arrivalOf` takes it
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

/** A delivery whose outcome was not known has no email.sent yet. */
const eventsOfArrival = (from: DeliveryStatus, to: DeliveryStatus): ReadonlyArray<EmailEventType> => {
  if (to === "Bounced") return ["email.bounced"]
  if (to !== "Delivered") return []
  return from === "Unknown" ? ["email.sent", "email.delivered"] : ["email.delivered"]
}
