/**
 * The operator's handlers of topics.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { Topic } from "../../../core/model/Topic.ts"
import { Topics } from "../../../core/audience/topics/Topics.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

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
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.managedTopics, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      return created(encodeTopic(yield* topics.create(id, payload, managementActor)))
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const page = yield* topics.list(id, yield* asEffect(pageOfQuery(query)))
      return ok(mapPage(page, encodeTopic))
    }),
    update: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const topicId = (params["id"] ?? "").toLowerCase()
      return ok(encodeTopic(yield* topics.update(id, topicId, payload, managementActor)))
    })
  })
})
