/**
 * Contact events for a core without flows.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { ContactEvents } from "../../core/audience/timeline/ContactEvents.ts"
import { ContactEventListener } from "../../core/audience/timeline/ContactEvents.ts"

/** Contact events that no flow reacts to. */
export const contactEventsWithoutFlows = Layer.provide(
  ContactEvents.layer,
  Layer.succeed(ContactEventListener, { dispatch: () => Effect.void })
)
