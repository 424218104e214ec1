/**
 * Stores attempts to send deliveries.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Attempt } from "../model/Message.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** A reply that became known after its attempt ended. */
export interface LateReply {
  readonly accountId: string
  readonly deliveryId: string
  /** The claim with which the attempt was made. */
  readonly claim: number
  readonly words: string
}

/** The port of attempts. */
export class AttemptStore extends Context.Service<
  AttemptStore,
  {
    /** Adds attempts, in the caller's transaction; an attempt that exists stays unchanged. */
    readonly put: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<void, Unavailable>
    /**
     * Adds to existing attempts a reply that a relay reported later, in the caller's transaction. A reply that the attempt
     * already has is not added; above `maxReplies`, the oldest are dropped. At most one reply for each attempt.
     */
    readonly addReplies: (replies: ReadonlyArray<LateReply>) => Effect.Effect<void, Unavailable>
    /** The attempts of those deliveries, oldest first. */
    readonly of: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<ReadonlyArray<Attempt>, Unavailable>
    /** Deletes the attempts of those deliveries, since their replies can name the recipient. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/AttemptStore") {}
