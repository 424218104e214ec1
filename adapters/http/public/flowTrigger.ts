/**
 * Handles calls of flow trigger URLs.
 *
 * @module
 */
import { Effect } from "effect"
import { FlowTriggers } from "../../../core/automation/flows/FlowTriggers.ts"
import { FlowTriggerApi } from "../schema/FlowTriggerApi.ts"
import { textIn } from "../edge/body.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** The trigger URL. */
export const flowTriggerRoutes = Effect.map(FlowTriggers, (triggers) =>
  bind(
    FlowTriggerApi.groups.flowTrigger,
    {
      trigger: ({ caller, params, payload }) =>
        Effect.map(triggers.trigger(caller.accountId, params.flowId, payload), ok)
    },
    {
      // A call with a known id is a duplicate, whatever its body.
      trigger: ({ caller, params, payload }) =>
        Effect.map(
          triggers.findRepeated(caller.accountId, params.flowId, textIn(payload, "id")),
          (repeated) => repeated && ok(repeated)
        )
    }
  )
)
