/**
 * What happens to a delivery when its turn comes, and after its transport answered: pure decisions over the table of
 * DeliveryStatus.
 *
 * @module
 */
import type { Sender } from "../../model/Account.ts"
import type { DeliveryMove } from "../../ports/SubmissionStore.ts"
import { formatDateTime } from "../../shared/Validate.ts"
import type { DeliveryReason, DeliveryStatus } from "../../model/DeliveryStatus.ts"
import type { EmailEventType } from "../../model/EmailEvent.ts"
import type { Conversation, Outcome } from "../../model/Message.ts"
import type { Delivery } from "../../model/Submission.ts"
import { type SuppressionKind, suppressionReason } from "../../model/Suppression.ts"

/** A state with its reason. */
export type Step = readonly [DeliveryStatus, DeliveryReason | null]

/** What a turn is decided on. */
export interface StepFacts {
  readonly delivery: Delivery
  /** Not before this time, epoch milliseconds; null for at once. */
  readonly sendAt: number | null
  /** The sender it would leave with now; null when there is no verified one. */
  readonly sender: Sender | null
  /** Why the address is suppressed; undefined when it is not. */
  readonly suppression: SuppressionKind | undefined
  /** Whether it is marketing that its person no longer agrees to. */
  readonly isConsentRevoked?: boolean
  /** Until when its destination takes nothing, epoch milliseconds; null when it does. */
  readonly busyUntil: number | null
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * What a delivery's turn brings.
 *
 * - `Done`: it is over, or not ours to send.
 * - `End`: it goes through these states, and its job is done.
 * - `Wait`: it goes through these states, and its turn comes again at `at`, epoch milliseconds.
 * - `HandOver`: it is claimed and goes to its transport.
 */
export type Turn =
  | { readonly _tag: "Done" }
  | { readonly _tag: "End"; readonly steps: ReadonlyArray<Step> }
  | { readonly _tag: "Wait"; readonly steps: ReadonlyArray<Step>; readonly at: number }
  | { readonly _tag: "HandOver"; readonly sender: Sender }

/**
 * Decides a delivery's turn. A HandingOff one was left by a sender that died: where the message's last byte may have
 * left it becomes Unknown and is never sent again, else it is as if it were Queued.
 */
export const decideDispatch = ({
  busyUntil,
  delivery,
  isConsentRevoked = false,
  now,
  sendAt,
  sender,
  suppression
}: StepFacts): Turn => {
  const { committedAt, reason, status } = delivery
  if (status !== "Queued" && status !== "HandingOff") return { _tag: "Done" }
  if (status === "HandingOff" && committedAt !== null) {
    return { _tag: "End", steps: [["Unknown", "sending.outcome_unknown"]] }
  }
  const queued = (why: DeliveryReason | null): ReadonlyArray<Step> =>
    status === "Queued" && reason === why ? [] : [["Queued", why]]
  if (suppression !== undefined || isConsentRevoked) {
    const why = suppression === undefined ? "sending.gate_consent" : suppressionReason[suppression]
    const suppressed: Step = ["Suppressed", why]
    return { _tag: "End", steps: status === "Queued" ? [suppressed] : [["Queued", null], suppressed] }
  }
  if (sendAt !== null && sendAt > now) {
    return { _tag: "Wait", steps: queued("sending.scheduled"), at: sendAt }
  }
  if (sender === null) return { _tag: "End", steps: queued("sending.no_verified_sender") }
  if (busyUntil !== null) return { _tag: "Wait", steps: queued(retryReason(delivery)), at: busyUntil }
  return { _tag: "HandOver", sender }
}

/** The reason of a delivery that only waits for its next turn. */
const retryReason = ({ attempts }: Delivery): DeliveryReason | null =>
  attempts === 0 ? null : "sending.retrying"

/**
 * Whether a delivery's turn counts against the daily cap: once, when it is claimed for the first time. Retries count
 * no more.
 */
export const needsQuota = ({ claims }: Delivery): boolean => claims === 0

const dayMillis = 86_400_000

/** The UTC day of a time, `YYYY-MM-DD`, and when the next one begins, epoch milliseconds. */
export const capDay = (now: number): { readonly day: string; readonly next: number } => ({
  day: formatDateTime(now).slice(0, 10),
  next: (Math.floor(now / dayMillis) + 1) * dayMillis
})

/** Minutes between attempts after temporary refusals (decisions 5). */
export const retryMinutes = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1440] as const

/** The longest wait a server can ask for: as long as the longest of ours. */
const maxRetryAfter = retryMinutes.at(-1)! * 60_000
/** Times are rounded up to it, so that those of one batch are few: each different one is a statement. */
const retryGrid = 10_000

/**
 * When to try again after `attempts` attempts, or null when they are used up. `jitter` in [0, 1) spreads the wait by
 * 10 % to either side. A server that asks for a longer wait, `retryAfter` milliseconds, gets it.
 */
export const retryAt = (
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

/** What is known of a message's point of no return: whether it was passed, or why it was not. */
export type Commitment = "NotAsked" | "Granted" | "Refused" | "Unavailable"

/**
 * What an attempt ended with, by what its transport answered (undefined when it was interrupted or broke) and whether
 * the last byte may have left. Whatever a transport says, what may have left is not sent again unless a server
 * refused it, and what cannot have left is not given up as Unknown. Busy stands for what was not tried at all.
 */
export const outcomeOf = (
  answer: Outcome | undefined,
  commitment: Commitment,
  interrupted: boolean,
  now: number
): Outcome => {
  const left = commitment === "Granted"
  if (answer === undefined) {
    if (left) return { _tag: "Unknown", conversation: broken(interrupted ? "stopped" : "internal") }
    return interrupted ? { _tag: "Busy", at: now } : { _tag: "Deferred", conversation: broken("internal") }
  }
  // The store that should have granted it was out of reach: nobody else has it.
  if (answer._tag === "Withdrawn" && commitment === "Unavailable")
    return { _tag: "Busy", at: now + storePause }
  if (answer._tag === "Unknown" && !left) return { ...answer, _tag: "Deferred" }
  if (answer._tag === "Busy" && left) return { _tag: "Unknown" }
  return answer
}

/** The pause before a message is tried again that the store could not grant. */
const storePause = 1_000

const broken = (error: string): Conversation => ({ host: null, tls: null, replies: [], error })

/** Attempts made after an outcome. */
export const attemptsAfter = ({ attempts }: Delivery, outcome: Outcome): number =>
  outcome._tag === "Busy" || outcome._tag === "Withdrawn" ? attempts : attempts + 1

/**
 * The states an outcome leads through, from HandingOff on. A sandbox email is Sent, then Delivered (decisions 1).
 *
 * @param willRetry whether an attempt is left after a temporary refusal
 */
export const statesAfter = (
  outcome: Outcome,
  delivery: Delivery,
  willRetry: boolean,
  sandbox: boolean
): ReadonlyArray<Step> => {
  switch (outcome._tag) {
    case "Delivered":
    case "Complained":
      return sandbox
        ? [
            ["Sent", null],
            ["Delivered", null]
          ]
        : [["Delivered", null]]
    case "Accepted":
    case "Sent":
    case "Bounced":
      return [[outcome._tag, null]]
    case "Refused":
      return [["Failed", "sending.refused"]]
    case "Deferred":
      return willRetry ? [["Queued", "sending.retrying"]] : [["Failed", "sending.retries_exhausted"]]
    case "Unknown":
      return [["Unknown", "sending.outcome_unknown"]]
    case "Busy":
      return [["Queued", retryReason(delivery)]]
    case "Withdrawn":
      return []
  }
}

/** What customers are told of an outcome, in order, each with its reason. */
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
 * The states a delivery ends in when its turn itself failed too often: nobody waits for what will not come. Failed can
 * be reached from Queued by a review alone (decisions 5): it is one that ends at once.
 */
export const statesAfterBurial = ({ committedAt, status }: Delivery): ReadonlyArray<Step> => {
  if (status === "Queued")
    return [
      ["PendingReview", null],
      ["Failed", "sending.retries_exhausted"]
    ]
  if (status !== "HandingOff") return []
  return committedAt === null
    ? [["Failed", "sending.retries_exhausted"]]
    : [["Unknown", "sending.outcome_unknown"]]
}

/** A delivery's move to a state, in the claim it is in. */
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

/** A delivery's move out of the state it is in, whoever holds it: what is no sender's to decide. */
export const moveUnclaimed = (
  { accountId, attempts, id, status }: Delivery,
  [to, reason]: Step,
  at: number
): DeliveryMove => ({ accountId, id, from: status, to, reason, attempts, claim: null, at })

/** The moves through states, one after the other. */
export const movesThrough = (
  delivery: Delivery,
  steps: ReadonlyArray<Step>,
  attempts: number,
  at: number
): ReadonlyArray<DeliveryMove> =>
  steps.map((step, index) =>
    moveTo(delivery, index === 0 ? delivery.status : steps[index - 1]![0], step, attempts, at)
  )
