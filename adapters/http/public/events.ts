/**
 * Handles the events endpoint.
 *
 * @module
 */
import { Effect } from "effect"
import { Events } from "../../../core/events/Events.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { elementsOf, rejectedElements } from "../edge/Batch.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** The events routes. */
export const eventsRoutes = Effect.map(Events, (events) =>
  bind(PublicApi.groups.events, {
    accept: ({ caller, payload }) =>
      Effect.map(
        events.accept(caller.accountId, elementsOf(payload.events)),
        ({ accepted, duplicates, rejected }) =>
          ok({
            accepted,
            duplicates,
            rejected: rejectedElements(rejected)
          })
      )
  })
)
