/**
 * The door to the timeline where no flow listens.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Happenings } from "../../core/activity/Happenings.ts"
import { FlowReactions } from "../../core/automation/FlowReactions.ts"

/** Happenings that no flow reacts to. */
export const happeningsWithoutFlows = Layer.provide(
  Happenings.layer,
  Layer.succeed(FlowReactions, { react: () => Effect.void })
)
