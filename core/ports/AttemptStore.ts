/**
 * Stores the attempts to send deliveries.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Attempt } from "../model/Message.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** The port of attempts. */
export class AttemptStore extends Context.Service<
  AttemptStore,
  {
    /** Adds attempts, in the caller's transaction; one that exists stays as it is. */
    readonly put: (attempts: ReadonlyArray<Attempt>) => Effect.Effect<void, Unavailable>
    /** The attempts of those deliveries, oldest first. */
    readonly of: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<ReadonlyArray<Attempt>, Unavailable>
    /** Deletes the attempts of those deliveries: their replies can name the recipient. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/AttemptStore") {}
