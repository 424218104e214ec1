/**
 * The entryPoint to the timeline where no flow listens.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { ContactEvents } from "../../core/audience/timeline/ContactEvents.ts"
import { ContactEventListener } from "../../core/audience/timeline/ContactEvents.ts"

/** Happenings that no flow reacts to. */
export const contactEventsWithoutFlows = Layer.provide(
  ContactEvents.layer,
  Layer.succeed(ContactEventListener, { dispatch: () => Effect.void })
)
