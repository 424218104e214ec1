/**
 * Handles the events endpoint.
 *
 * @module
 */
import { Effect } from "effect"
import { Events } from "../../../core/events/Events.ts"
import { EventWriteShape } from "../schema/public/Events.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { makeItemShape } from "../edge/Batch.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

const itemShape = makeItemShape(EventWriteShape)

/** The events routes. */
export const eventsRoutes = Effect.map(Events, (events) =>
  bind(PublicApi.groups.events, {
    accept: ({ caller, payload }) =>
      Effect.map(
        events.accept(caller.accountId, payload.events.map(itemShape)),
        ({ accepted, duplicates, rejected }) =>
          ok({
            accepted,
            duplicates,
            rejected: rejected.map(({ index, issues }) => ({
              index,
              reasons: issues.map(({ code, field }) => ({ code, field }))
            }))
          })
      )
  })
)
