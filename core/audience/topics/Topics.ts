/**
 * The use cases of topics (docs/contributing/public-api.md "Segments and topics", docs/contributing/management-api.md
 * `A/topics`).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import type { Actor } from "../../model/Actor.ts"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { CampaignStore } from "../../ports/CampaignStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { refuseOn } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { type Page, pageOfAll, type PageRequest, placeBy } from "../../shared/Page.ts"
import { Issues, Problem, type Unavailable, valueDetail } from "../../shared/Problem.ts"
import type { Maybe } from "../../shared/Validate.ts"
import { isKey, parseDescription } from "../fields/FieldRules.ts"
import type { Topic } from "../../model/Topic.ts"
import { parseTopicName } from "./TopicRules.ts"

/** A request to create a topic. */
export interface NewTopic {
  readonly key: string
  readonly name: string
  readonly description?: Maybe<string>
  /** Whether the topic is on for contacts who have not chosen. True by default. */
  readonly defaultOn?: Maybe<boolean>
}

/** A change of a topic; absent values stay unchanged. */
export interface TopicUpdate {
  readonly name?: Maybe<string>
  /** Null or an empty string removes the description. */
  readonly description?: Maybe<string>
  readonly isArchived?: Maybe<boolean>
}

/** The use cases of topics. */
export class Topics extends Context.Service<
  Topics,
  {
    /** Creates a topic. topics.key_invalid, validation.*; topics.exists. */
    readonly create: (
      accountId: string,
      request: NewTopic,
      actor: Actor
    ) => Effect.Effect<Topic, Problem | Unavailable>
    /** The account's topics that are not archived, oldest first. */
    readonly active: (accountId: string) => Effect.Effect<ReadonlyArray<Topic>, Unavailable>
    /** The account's topics, including archived ones, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Topic>, Unavailable>
    /** Changes a topic and returns it. validation.*; common.not_found. */
    readonly update: (
      accountId: string,
      id: string,
      update: TopicUpdate,
      actor: Actor
    ) => Effect.Effect<Topic, Problem | Unavailable>
  }
>()("svc/audience/Topics") {
  static readonly layer = Layer.effect(
    Topics,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const campaigns = yield* CampaignStore
      const store = yield* TopicStore
      const atomically = yield* Atomically
      const ids = yield* Ids
      const { record } = yield* AuditTrail

      return Topics.of({
        create: Effect.fn("Topics.create")(function* (accountId, request, actor) {
          const parsed = yield* Effect.fromResult(parseNewTopic(request))
          const id = yield* ids.next
          const createdAt = yield* Clock.currentTimeMillis
          const topic: Topic = { id, accountId, ...parsed, isArchived: false, createdAt }
          yield* atomically(
            Effect.andThen(
              refuseOn("topics_key", () => Problem.of("topics.exists", "key", null, { value: parsed.key }))(
                store.insert(topic)
              ),
              record(actor, {
                accountId,
                action: "topic.created",
                target: id,
                before: null,
                after: summaryOf(topic)
              })
            )
          )
          return topic
        }),
        active: (accountId) =>
          Effect.map(store.list(accountId), (topics) => topics.filter((topic) => !topic.isArchived)),
        list: (accountId, page) =>
          Effect.map(store.list(accountId), (topics) => pageOfAll(topics, page, placeBy("createdAt"))),
        update: Effect.fn("Topics.update")(function* (accountId, id, patch, actor) {
          // Of two concurrent changes, the second must see the first.
          yield* accounts.lock([accountId])
          const topic = (yield* store.list(accountId)).find((one) => one.id === id)
          if (topic === undefined) return yield* Problem.of("common.not_found")
          const changed = yield* Effect.fromResult(changeTopic(topic, patch))
          if (changed.isArchived && !topic.isArchived) {
            const named = { topic: topic.key }
            const active = yield* campaigns.uses(accountId, ["Scheduled", "Sending"], named, 1)
            if (active.length > 0) return yield* Problem.of("topics.in_use", "isArchived")
          }
          yield* store.save(changed)
          yield* record(actor, {
            accountId,
            action: "topic.changed",
            target: id,
            before: summaryOf(topic),
            after: summaryOf(changed)
          })
          return changed
        }, atomically)
      })
    })
  )
}

const parseNewTopic = (request: NewTopic) => {
  const issues = new Issues()
  const key = request.key.trim()
  if (!isKey(key)) issues.add("topics.key_invalid", "key", null, valueDetail(key))
  const name = parseTopicName(request.name, issues)
  const description = parseDescription(request.description, issues)
  return issues.result({ key, name, description, defaultOn: request.defaultOn ?? true })
}

const changeTopic = (topic: Topic, patch: TopicUpdate): Result.Result<Topic, Problem> => {
  const issues = new Issues()
  const name = patch.name == null ? topic.name : parseTopicName(patch.name, issues)
  const description =
    patch.description === undefined ? topic.description : parseDescription(patch.description, issues)
  return issues.result({ ...topic, name, description, isArchived: patch.isArchived ?? topic.isArchived })
}

const summaryOf = ({ defaultOn, description, isArchived, key, name }: Topic) => ({
  key,
  name,
  description,
  defaultOn,
  isArchived
})
