/**
 * Stores the visits of deliveries: the latest ones, and how many there were.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryVisits } from "../model/Visit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** The port of visits. */
export class VisitStore extends Context.Service<
  VisitStore,
  {
    /**
     * The visits of those deliveries, each once, in no order; those of a delivery without any are empty. One statement.
     * Locked until the caller's transaction ends, with the deliveries: what is returned is the latest, and none of the
     * deliveries is erased meanwhile. The deliveries must exist; one that was erased is left out.
     */
    readonly lock: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** Replaces what is stored of deliveries, in the caller's transaction. */
    readonly put: (visits: ReadonlyArray<DeliveryVisits>) => Effect.Effect<void, Unavailable>
    /** What is stored of those deliveries, in no order. */
    readonly of: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** Deletes all that is stored of those deliveries. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
    /**
     * Deletes the visits made before a time (epoch milliseconds), the oldest first, of at most `limit` deliveries; the
     * counts stay. Returns of how many.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/VisitStore") {}
