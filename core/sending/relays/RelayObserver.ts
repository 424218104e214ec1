/**
 * Reports the conditions of relays that sending observes.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { RelayCondition } from "../../model/MailRelay.ts"

/** Receives the condition of the relay with an id, whenever it changes. */
export type ObserveRelay = (id: string, condition: RelayCondition) => Effect.Effect<void>

/** Receives the conditions of relays. Without its layer, they are ignored. */
export const RelayObserver = Context.Reference<ObserveRelay>("svc/sending/RelayObserver", {
  defaultValue: () => () => Effect.void
})
