/**
 * An attempt to hand a delivery over, kept for the operator.
 *
 * @module
 */
import type { Conversation, Outcome } from "./Message.ts"

/** What an attempt ended with; `Lost` when its sender died. */
export type AttemptOutcome = Exclude<Outcome["_tag"], "Busy" | "Withdrawn"> | "Lost"

/** An attempt to hand a delivery over. All times are epoch milliseconds. */
export interface Attempt extends Conversation {
  readonly accountId: string
  readonly deliveryId: string
  /** The claim it was made with: with the delivery it names the attempt. */
  readonly claim: number
  readonly startedAt: number
  readonly finishedAt: number
  readonly outcome: AttemptOutcome
}
