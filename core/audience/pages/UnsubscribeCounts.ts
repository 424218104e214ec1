/**
 * Counts the emails by whose links people unsubscribe; sending provides it, which knows how they were delivered.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Delivery } from "../../model/Submission.ts"
import type { Unavailable } from "../../shared/Problem.ts"

/** Counts emails by which people unsubscribed. */
export class UnsubscribeCounts extends Context.Service<
  UnsubscribeCounts,
  {
    /** Counts deliveries for which it is the first time, in the caller's transaction, and last in it. */
    readonly count: (deliveries: ReadonlyArray<Delivery>) => Effect.Effect<void, Unavailable>
  }
>()("svc/audience/UnsubscribeCounts") {}
