/**
 * Pure functions over the states of `DeliveryStatus`: decide what happens to a delivery when it is dispatched, and after its
 * transport has returned.
 *
 * @module
 */
import type { Sender } from "../../model/Account.ts"
import type { DeliveryMove } from "../../ports/SubmissionStore.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import type { DeliveryReason, DeliveryStatus } from "../../model/DeliveryStatus.ts"
import type { EmailEventType } from "../../model/EmailEvent.ts"
import type { Conversation, Hold, Outcome } from "../../model/Message.ts"
import type { Delivery, SubmissionContent } from "../../model/Submission.ts"
import { type GateRefusal, refusalReason } from "../gate/GateRules.ts"
import type { Wait } from "../shaping/Shaping.ts"

/** A state with its reason. */
export type Step = readonly [DeliveryStatus, DeliveryReason | null]

/** The facts on which the dispatch of a delivery is decided. */
export interface DispatchFacts {
  readonly delivery: Delivery
  /** The earliest time to send it, epoch milliseconds; null for at once. */
  readonly sendAt: number | null
  /** The sender of the email; null if no verified one exists now. */
  readonly sender: Sender | null
  /** Why the gate refuses it; null if it may be sent. */
  readonly refusal: GateRefusal | null
  /** Until when its destination is busy, epoch milliseconds; null if it is not busy. */
  readonly busyUntil: number | null
  /** Any other reason to wait, even if its destination is not busy; null if there is none. */
  readonly wait: Wait | null
  /** How long after it was first due it may be held or wait for a place at its destination, milliseconds. */
  readonly maxHeld: number
  /** When it was first due, epoch milliseconds. */
  readonly dueSince: number
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The dispatch of a delivery.
 *
 * - `Done`: its state is final, or it waits for something that will enqueue a new job. Its job is complete.
 * - `End`: it moves through these states, and its job is complete.
 * - `Wait`: it moves through these states, and is dispatched again at `at`, epoch milliseconds.
 * - `Send`: it is claimed and passed to its transport.
 */
export type Dispatch =
  | { readonly _tag: "Done" }
  | { readonly _tag: "End"; readonly steps: ReadonlyArray<Step> }
  | {
      readonly _tag: "Wait"
      readonly steps: ReadonlyArray<Step>
      readonly at: number
      /** The lane on which it is held; null if it is not held. */
      readonly lane: string | null
    }
  | { readonly _tag: "Send"; readonly sender: Sender }

/**
 * Decides the dispatch of a delivery. A delivery that is HandingOff was left behind by a sender that died. If its last byte
 * may have been sent, it becomes Unknown and is never sent again; otherwise it counts as Queued.
 */
export const decideDispatch = ({
  busyUntil,
  delivery,
  dueSince,
  maxHeld,
  now,
  refusal,
  sendAt,
  sender,
  wait
}: DispatchFacts): Dispatch => {
  const { committedAt, reason, status } = delivery
  if (status !== "Queued" && status !== "HandingOff") return { _tag: "Done" }
  if (status === "HandingOff" && committedAt !== null) {
    return { _tag: "End", steps: [["Unknown", "sending.outcome_unknown"]] }
  }
  const queued = (why: DeliveryReason | null): ReadonlyArray<Step> =>
    status === "Queued" && reason === why ? [] : [["Queued", why]]
  if (refusal?._tag === "CampaignPaused") {
    return { _tag: "Wait", steps: queued(refusalReason(refusal)), at: now + campaignPausedMillis, lane: null }
  }
  if (refusal?._tag === "CampaignCancelled") {
    const failed: ReadonlyArray<Step> = [
      ["PendingReview", null],
      ["Failed", refusalReason(refusal)]
    ]
    return { _tag: "End", steps: status === "Queued" ? failed : [["Queued", null], ...failed] }
  }
  if (refusal !== null) {
    const suppressed: Step = ["Suppressed", refusalReason(refusal)]
    return { _tag: "End", steps: status === "Queued" ? [suppressed] : [["Queued", null], suppressed] }
  }
  if (sendAt !== null && sendAt > now) {
    return { _tag: "Wait", steps: queued("sending.scheduled"), at: sendAt, lane: null }
  }
  if (sender === null) return { _tag: "End", steps: queued("sending.no_verified_sender") }
  if (wait !== null) {
    const { at, hold } = wait
    const isHeld = hold.reason !== "sending.retrying" || delivery.heldSince !== null
    if (isHeld && dueSince + maxHeld <= now)
      return { _tag: "End", steps: stepsToFailed(status, "sending.held_too_long") }
    if (hold.reason === "sending.retrying")
      return { _tag: "Wait", steps: queued(retryReason(delivery)), at, lane: null }
    const isKnown = delivery.lane === hold.lane && delivery.line !== "" && delivery.heldSince !== null
    const steps = isKnown ? queued(hold.reason) : ([["Queued", hold.reason]] as const)
    return { _tag: "Wait", steps, at, lane: hold.lane }
  }
  if (busyUntil !== null) {
    if (dueSince + maxHeld <= now)
      return { _tag: "End", steps: stepsToFailed(status, "sending.held_too_long") }
    return { _tag: "Wait", steps: queued(retryReason(delivery)), at: busyUntil, lane: null }
  }
  return { _tag: "Send", sender }
}

/**
 * How long an email of a paused campaign waits until it is dispatched again, milliseconds. Resuming the campaign makes its
 * jobs due at once.
 */
const campaignPausedMillis = 3_600_000
/**
 * The states on the way to Failed. From Queued, Failed is reached through PendingReview (docs/contributing/decisions.md 5).
 */
export const stepsToFailed = (status: DeliveryStatus, reason: DeliveryReason): ReadonlyArray<Step> =>
  status === "Queued"
    ? [
        ["PendingReview", null],
        ["Failed", reason]
      ]
    : [["Failed", reason]]

/** The reason of a delivery that only waits for its next dispatch. */
const retryReason = ({ attempts }: Delivery): DeliveryReason | null =>
  attempts === 0 ? null : "sending.retrying"

/**
 * Whether a delivery counts against the daily cap: only when it is claimed for the first time, so retries do not count. Emails
 * of the installation to its users do not count either.
 */
export const needsQuota = (
  { claims }: Delivery,
  { isSystem }: Pick<SubmissionContent, "isSystem">
): boolean => claims === 0 && !isSystem

const dayMillis = 86_400_000

/** The UTC day of a time as `YYYY-MM-DD`, and when the next day begins, epoch milliseconds. */
export const capDay = (now: number): { readonly day: string; readonly next: number } => ({
  day: formatDateTime(now).slice(0, 10),
  next: (Math.floor(now / dayMillis) + 1) * dayMillis
})

/** Minutes between attempts after temporary rejections (docs/contributing/decisions.md 5). */
export const retryMinutes = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1440] as const

/** The longest wait that a server can request, milliseconds: the longest of `retryMinutes`. */
const maxRetryAfter = retryMinutes.at(-1)! * 60_000
/**
 * Requested waits are rounded up to a multiple of this, milliseconds, since each distinct time in a batch costs a statement.
 */
const retryGrid = 10_000

/**
 * The time of the next attempt after `attempts` attempts, epoch milliseconds; null if none is left. `jitter` in [0, 1) spreads
 * the wait by 10 % to either side. A longer wait that the server requested (`retryAfter`, milliseconds) takes precedence.
 */
export const nextDeliveryAttemptAt = (
  attempts: number,
  now: number,
  jitter: number,
  retryAfter: number = 0
): number | null => {
  const minutes = retryMinutes[attempts - 1]
  if (minutes === undefined) return null
  const wait = Math.round(minutes * 60_000 * (0.9 + jitter * 0.2))
  const asked = Math.ceil(Math.min(retryAfter, maxRetryAfter) / retryGrid) * retryGrid
  return now + Math.max(wait, asked)
}

/** Whether a message may pass its point of no return: not asked, granted, refused, or not known. */
export type Commitment = "NotAsked" | "Granted" | "Refused" | "Unavailable"

/**
 * The outcome of an attempt, derived from the outcome that its transport returned (undefined if it was interrupted or failed
 * with a defect) and from whether the last byte may have been sent. A message that may have been sent is not sent again unless
 * a server rejected it. A message that cannot have been sent does not become Unknown. Busy means that it was not tried at all.
 */
export const outcomeOf = (
  reported: Outcome | undefined,
  commitment: Commitment,
  interrupted: boolean,
  now: number
): Outcome => {
  const left = commitment === "Granted"
  if (reported === undefined) {
    if (left) return { _tag: "Unknown", conversation: broken(interrupted ? "stopped" : "internal") }
    return interrupted ? { _tag: "Busy", at: now } : { _tag: "Deferred", conversation: broken("internal") }
  }
  // The database was unavailable when the permission was requested, so no other worker has the delivery.
  if (reported._tag === "Withdrawn" && commitment === "Unavailable")
    return { _tag: "Busy", at: now + unavailablePause }
  if (reported._tag === "Unknown" && !left) return { ...reported, _tag: "Deferred" }
  if (reported._tag === "Busy" && left) return { _tag: "Unknown" }
  return reported
}

/** The pause before the next attempt if the database was unavailable, milliseconds. */
const unavailablePause = 1_000

/** The conversation of an attempt that had none. */
export const noConversation: Conversation = { host: null, tls: null, replies: [], error: null }

const broken = (error: string): Conversation => ({ ...noConversation, error })

/** The number of attempts after an outcome. */
export const attemptsAfter = ({ attempts }: Delivery, outcome: Outcome): number =>
  outcome._tag === "Busy" || outcome._tag === "Withdrawn" || outcome._tag === "Held" ? attempts : attempts + 1

/**
 * The state after an outcome, starting from HandingOff.
 *
 * @param willRetry whether an attempt is left after a temporary rejection
 * @param hold why it is held after a rejection; null if it is not held
 */
export const stateAfter = (
  outcome: Outcome,
  delivery: Delivery,
  willRetry: boolean,
  hold: Hold | null
): Step => {
  switch (outcome._tag) {
    case "Delivered":
    case "Complained":
      return ["Delivered", null]
    case "Accepted":
    case "Sent":
    case "Bounced":
      return [outcome._tag, null]
    case "MailboxFull":
      return ["Failed", "sending.mailbox_full"]
    case "Refused":
      return ["Failed", "sending.refused"]
    case "Deferred":
      if (!willRetry) return ["Failed", "sending.retries_exhausted"]
      return [
        "Queued",
        outcome.conversation?.error === "tls_required" ? "sending.tls_required" : "sending.retrying"
      ]
    case "Held":
      return hold === null ? ["Failed", "sending.refused"] : ["Queued", hold.reason]
    case "Unknown":
      return ["Unknown", "sending.outcome_unknown"]
    case "Busy":
      return [
        "Queued",
        hold === null || hold.reason === "sending.retrying" ? retryReason(delivery) : hold.reason
      ]
    // If the claim is no longer the latest, nothing moves.
    case "Withdrawn":
      return ["Queued", retryReason(delivery)]
  }
}

/** The email events of an outcome, in order, each with its reason. */
export const eventsAfter = (
  outcome: Outcome
): ReadonlyArray<{ readonly type: EmailEventType; readonly reason: string | null }> => {
  switch (outcome._tag) {
    case "Delivered":
      return [happened("email.sent"), happened("email.delivered")]
    case "Complained":
      // The feedback type of a complaint (RFC 5965, 7.3).
      return [happened("email.sent"), happened("email.delivered"), happened("email.complained", "abuse")]
    case "Accepted":
    case "Sent":
      return [happened("email.sent")]
    case "Bounced":
      return [happened("email.bounced", outcome.conversation?.replies.at(-1) ?? outcome.conversation?.error)]
    default:
      return []
  }
}

const happened = (type: EmailEventType, reason: string | null = null) => ({ type, reason })

/**
 * The states of a delivery whose job is buried, ending in a final one. From Queued, Failed is reached through PendingReview
 * (docs/contributing/decisions.md 5), and both moves are made at once. A HandingOff delivery moves directly.
 */
export const statesAfterBurial = (
  { committedAt, status }: Delivery,
  reason: DeliveryReason = "sending.retries_exhausted"
): ReadonlyArray<Step> => {
  if (status === "Queued") return stepsToFailed(status, reason)
  if (status !== "HandingOff") return []
  return committedAt === null
    ? [["Failed", "sending.retries_exhausted"]]
    : [["Unknown", "sending.outcome_unknown"]]
}

/** The move of a delivery to a state, within its current claim. */
export const moveTo = (
  delivery: Delivery,
  from: DeliveryStatus,
  [to, reason]: Step,
  attempts: number,
  at: number
): DeliveryMove => ({
  accountId: delivery.accountId,
  id: delivery.id,
  from,
  to,
  reason,
  attempts,
  claim: delivery.claims,
  at
})

/** The move of a delivery out of its current state, whatever its claim, for changes that no sender makes. */
export const moveUnclaimed = (
  { accountId, attempts, id, status }: Delivery,
  [to, reason]: Step,
  at: number
): DeliveryMove => ({ accountId, id, from: status, to, reason, attempts, claim: null, at })

/** The moves of a delivery through states, in order. */
export const movesThrough = (
  delivery: Delivery,
  steps: ReadonlyArray<Step>,
  attempts: number,
  at: number
): ReadonlyArray<DeliveryMove> =>
  steps.map((step, index) =>
    moveTo(delivery, index === 0 ? delivery.status : steps[index - 1]![0], step, attempts, at)
  )

/**
 * The outcome of a sandbox message (docs/contributing/decisions.md 1). The local parts `bounce`, `complaint` and `defer` let
 * integrators test these outcomes; any other address is Delivered.
 */
export const sandboxOutcome = (recipient: string, earlierAttempts: number): Outcome => {
  switch (recipient.slice(0, recipient.lastIndexOf("@"))) {
    case "bounce":
      return { _tag: "Bounced" }
    case "complaint":
      return { _tag: "Complained" }
    case "defer":
      return earlierAttempts === 0 ? { _tag: "Deferred" } : { _tag: "Delivered" }
    default:
      return { _tag: "Delivered" }
  }
}
