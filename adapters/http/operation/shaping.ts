/**
 * Handles the management endpoints of shaping.
 *
 * @module
 */
import { Effect } from "effect"
import { classify } from "../../../core/sending/shaping/Classify.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** What replies mean. */
export const shapingRoutes = Effect.succeed(
  bind(ManagementApi.groups.shaping, {
    classify: Effect.fnUntraced(function* ({ payload: { provider = null, reply, stage } }) {
      return ok(yield* Effect.fromResult(classify(reply, stage, provider)))
    })
  })
)
