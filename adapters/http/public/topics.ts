/**
 * Handles the topics endpoint.
 *
 * @module
 */
import { Effect } from "effect"
import { Topics } from "../../../core/audience/topics/Topics.ts"
import { PublicApi } from "../schema/PublicApi.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** The topics routes. */
export const topicsRoutes = Effect.map(Topics, (topics) =>
  bind(PublicApi.groups.topics, {
    list: ({ caller }) =>
      Effect.map(topics.active(caller.accountId), (list) =>
        ok(
          list.map(({ description, id, isArchived, key, name }) => ({
            id,
            key,
            name,
            description,
            isArchived
          }))
        )
      )
  })
)
