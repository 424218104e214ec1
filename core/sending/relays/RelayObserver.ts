/**
 * Tells how relays do, as sending finds them.
 *
 * @module
 */
import { Context, Effect } from "effect"
import type { RelayCondition } from "../../model/MailRelay.ts"

/** Takes the condition of a relay with an id, whenever it changes. */
export type ObserveRelay = (id: string, condition: RelayCondition) => Effect.Effect<void>

/** Where conditions of relays are kept; nowhere without a layer. */
export const RelayObserver = Context.Reference<ObserveRelay>("svc/sending/RelayObserver", {
  defaultValue: () => () => Effect.void
})
