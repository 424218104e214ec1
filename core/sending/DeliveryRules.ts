/**
 * What happens to a delivery when its turn comes, and after its transport answered: pure decisions over the table of
 * DeliveryStatus.
 *
 * @module
 */
import type { Sender } from "../accounts/Account.ts"
import type { DeliveryMove } from "../ports/SubmissionStore.ts"
import type { DeliveryReason, DeliveryStatus } from "./DeliveryStatus.ts"
import type { Outcome } from "./Message.ts"
import type { Delivery } from "./Submission.ts"
import { type SuppressionKind, suppressionReason } from "./Suppression.ts"

/** What a delivery's turn brings: nothing more to do, a wait or refusal, or its transport. */
export type Turn =
  | { readonly _tag: "Done" }
  | { readonly _tag: "Park"; readonly reason: DeliveryReason }
  | { readonly _tag: "Suppress"; readonly reason: DeliveryReason }
  | { readonly _tag: "HandOver"; readonly sender: Sender }

/**
 * Decides a delivery's turn. A HandingOff one is taken up again: the sandbox takes a repeated message once, so its
 * outcome is never unknown.
 */
export const decideTurn = (
  delivery: Delivery,
  sender: Sender | null,
  suppression: SuppressionKind | undefined
): Turn => {
  if (delivery.status !== "Queued" && delivery.status !== "HandingOff") return { _tag: "Done" }
  if (delivery.status === "Queued" && suppression !== undefined) {
    return { _tag: "Suppress", reason: suppressionReason[suppression] }
  }
  return sender === null
    ? { _tag: "Park", reason: "sending.no_verified_sender" }
    : { _tag: "HandOver", sender }
}

/** Minutes between attempts after temporary refusals (decisions 5). */
export const retryMinutes = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1440] as const

/**
 * When to try again after `attempts` attempts, or null when they are used up. `jitter` in [0, 1) spreads the wait by
 * 10 % to either side.
 */
export const retryAt = (attempts: number, now: number, jitter: number): number | null => {
  const minutes = retryMinutes[attempts - 1]
  return minutes === undefined ? null : now + Math.round(minutes * 60_000 * (0.9 + jitter * 0.2))
}

/** The states an outcome leads through, from HandingOff on, each with its reason. */
export const statesAfter = (
  outcome: Outcome,
  willRetry: boolean
): ReadonlyArray<readonly [DeliveryStatus, DeliveryReason | null]> => {
  switch (outcome._tag) {
    case "Delivered":
    case "Complained":
      return [
        ["Sent", null],
        ["Delivered", null]
      ]
    case "Bounced":
      return [["Bounced", null]]
    case "Refused":
      return [["Failed", "sending.refused"]]
    case "Deferred":
      return willRetry ? [["Queued", "sending.retrying"]] : [["Failed", "sending.retries_exhausted"]]
  }
}

/** A delivery's move to a state. */
export const moveTo = (
  delivery: Delivery,
  from: DeliveryStatus,
  to: DeliveryStatus,
  reason: DeliveryReason | null,
  attempts: number,
  at: number
): DeliveryMove => ({ accountId: delivery.accountId, id: delivery.id, from, to, reason, attempts, at })
