/**
 * Handles the management endpoints of topics.
 *
 * @module
 */
import { Effect } from "effect"
import type { Topic } from "../../../core/model/Topic.ts"
import { Topics } from "../../../core/audience/topics/Topics.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeTopic = (topic: Topic) => ({
  id: topic.id,
  key: topic.key,
  name: topic.name,
  description: topic.description,
  isArchived: topic.isArchived,
  defaultOn: topic.defaultOn
})

/** Topics. */
export const managedTopicsRoutes = Effect.gen(function* () {
  const topics = yield* Topics
  return bind(ManagementApi.groups.managedTopics, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      return created(encodeTopic(yield* topics.create(account.id, payload, actor)))
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* topics.list(account.id, page), encodeTopic))
    }),
    update: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      return ok(encodeTopic(yield* topics.update(account.id, params.id, payload, actor)))
    })
  })
})
