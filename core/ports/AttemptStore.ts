/**
 * Stores the attempts to send deliveries.
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
  /** The claim of the attempt. */
  readonly claim: number
  readonly words: string
}

/** The port of attempts. */
export class AttemptStore extends Context.Service<
  AttemptStore,
  {
    /** Adds attempts, in the caller's transaction; one that exists stays as it is. */
    readonly put: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<void, Unavailable>
    /**
     * Adds a reply to attempts that exist, in the caller's transaction: what a relay reported later. One that an attempt has
     * already is not added; of more than `maxReplies` the oldest are left out. At most one of each attempt.
     */
    readonly addReplies: (replies: ReadonlyArray<LateReply>) => Effect.Effect<void, Unavailable>
    /** The attempts of those deliveries, oldest first. */
    readonly of: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<ReadonlyArray<Attempt>, Unavailable>
    /** Deletes the attempts of those deliveries: their replies can name the recipient. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/AttemptStore") {}
