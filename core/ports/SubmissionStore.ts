/**
 * Submissions and their deliveries.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryReason, DeliveryStatus } from "../sending/DeliveryStatus.ts"
import type { Delivery, Submission, SubmissionSummary } from "../sending/Submission.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A delivery of an account. */
export interface DeliveryRef {
  readonly accountId: string
  readonly id: string
}

/** A change of a delivery's state, made only if it still is in `from`. */
export interface DeliveryMove extends DeliveryRef {
  readonly from: DeliveryStatus
  readonly to: DeliveryStatus
  readonly reason: DeliveryReason | null
  readonly attempts: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** Which submissions a list shows; null for any. */
export interface SubmissionFilter {
  /** A status at least one delivery has. */
  readonly status: DeliveryStatus | null
  /** The normalized address of a recipient. */
  readonly to: string | null
}

/** The port of submissions and their deliveries. */
export class SubmissionStore extends Context.Service<
  SubmissionStore,
  {
    /**
     * Adds submissions of one account, with their deliveries. Where the account already has one with the same
     * idempotency key (a unique constraint, so also when another node adds it at this moment) nothing is added.
     * Answers, in order, the stored submission of each: itself, or the earlier one. A fixed number of statements.
     */
    readonly insert: (
      accountId: string,
      submissions: ReadonlyArray<Submission>
    ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, Unavailable>
    /** The account's submissions of those ids that exist, in no order. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SubmissionSummary>, Unavailable>
    /** The account's submissions that pass the filter, newest first. */
    readonly list: (
      accountId: string,
      filter: SubmissionFilter,
      page: PageRequest
    ) => Effect.Effect<Page<SubmissionSummary>, Unavailable>
    /** The submissions those deliveries belong to, each once, whole; for the sender. */
    readonly ofDeliveries: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<Submission>, Unavailable>
    /**
     * Makes the moves whose delivery still is in `from`, all in one statement, and answers the deliveries moved
     * as they are now. A move the table of DeliveryStatus does not list is a defect. `from` may equal `to`, to
     * change only the reason.
     */
    readonly move: (moves: ReadonlyArray<DeliveryMove>) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /** An account's Queued deliveries that wait for `reason`, oldest first, after the id `after`. */
    readonly waiting: (
      accountId: string,
      reason: DeliveryReason,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Delivery>, Unavailable>
    /**
     * Removes an account's deliveries to normalized addresses, whatever their state, and the submissions that had no
     * other recipient: part of erasing a person. Answers the ids of the deliveries that went. In the caller's
     * transaction.
     */
    readonly erase: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
  }
>()("svc/ports/SubmissionStore") {}
