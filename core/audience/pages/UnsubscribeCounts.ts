/**
 * Counts the emails through whose links people unsubscribe. The sending module implements it, because it knows how they were
 * delivered.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Delivery } from "../../model/Submission.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** Counts emails through which people unsubscribed. */
export class UnsubscribeCounts extends Context.Service<
  UnsubscribeCounts,
  {
    /** Counts deliveries that were marked for the first time, in the caller's transaction and as its last step. */
    readonly count: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, Unavailable>
  }
>()("svc/audience/UnsubscribeCounts") {}
