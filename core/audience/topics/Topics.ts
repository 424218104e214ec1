/**
 * The use cases of topics (public-api, Segments and topics; management-api, A/topics).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { makeRecorder } from "../../accounts/AuditTrail.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { TopicStore } from "../../ports/TopicStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { refuseOn, retryConflicts } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { offsetOf, type Page, type PageRequest } from "../../shared/Page.ts"
import { type Issue, issue, Problem, type Unavailable } from "../../shared/Problem.ts"
import type { Maybe } from "../../shared/Validate.ts"
import { checkDescription, isKey } from "../fields/FieldRules.ts"
import type { Topic } from "../../model/Topic.ts"
import { checkTopicName } from "./TopicRules.ts"

/** A topic that is asked for. */
export interface NewTopic {
  readonly key: string
  readonly name: string
  readonly description?: Maybe<string>
  /** Whether a contact that never chose has the topic; true where left out. */
  readonly defaultOn?: Maybe<boolean>
}

/** What can be changed of a topic; what is left out keeps its value. */
export interface TopicUpdate {
  readonly name?: Maybe<string>
  /** Null or an empty text removes the description. */
  readonly description?: Maybe<string>
  readonly isArchived?: Maybe<boolean>
}

/** The use cases on topics. */
export class Topics extends Context.Service<
  Topics,
  {
    /** Makes a topic. topics.key_invalid, validation.*; topics.exists. */
    readonly create: (
      accountId: string,
      request: NewTopic,
      actor: string
    ) => Effect.Effect<Topic, Problem | Unavailable>
    /** The account's topics that are not archived, oldest first. */
    readonly active: (accountId: string) => Effect.Effect<ReadonlyArray<Topic>, Unavailable>
    /** The account's topics, archived ones included, newest first. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Topic>, Unavailable>
    /** Changes a topic; answers it as it is now. validation.*; common.not_found. */
    readonly update: (
      accountId: string,
      id: string,
      update: TopicUpdate,
      actor: string
    ) => Effect.Effect<Topic, Problem | Unavailable>
  }
>()("svc/audience/Topics") {
  static readonly layer = Layer.effect(
    Topics,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* TopicStore
      const transaction = yield* Transaction
      const ids = yield* Ids
      const record = yield* makeRecorder

      const create = Effect.fn("Topics.create")(function* (
        accountId: string,
        request: NewTopic,
        actor: string
      ) {
        const checked = checkNewTopic(request)
        if (checked instanceof Problem) return yield* checked
        const id = yield* ids.next
        const createdAt = yield* Clock.currentTimeMillis
        const topic: Topic = { id, accountId, ...checked, isArchived: false, createdAt }
        yield* transaction
          .run(
            Effect.andThen(
              store.insert(topic),
              record(actor, {
                accountId,
                action: "topic.created",
                target: id,
                before: null,
                after: summaryOf(topic)
              })
            )
          )
          .pipe(
            refuseOn("topics_key", () => Problem.of("topics.exists", "key")),
            retryConflicts
          )
        return topic
      })

      const update = Effect.fn("Topics.update")(function* (
        accountId: string,
        id: string,
        patch: TopicUpdate,
        actor: string
      ) {
        return yield* retryConflicts(
          transaction.run(
            Effect.gen(function* () {
              // So that of two changes at the same moment the second sees the first.
              yield* accounts.lock([accountId])
              const topic = (yield* store.list(accountId)).find((one) => one.id === id)
              if (topic === undefined) return yield* Problem.of("common.not_found")
              const changed = changeTopic(topic, patch)
              if (changed instanceof Problem) return yield* changed
              yield* store.save(changed)
              yield* record(actor, {
                accountId,
                action: "topic.changed",
                target: id,
                before: summaryOf(topic),
                after: summaryOf(changed)
              })
              return changed
            })
          )
        )
      })

      return Topics.of({
        create,
        active: (accountId) =>
          Effect.map(store.list(accountId), (topics) => topics.filter((topic) => !topic.isArchived)),
        list: (accountId, page) =>
          Effect.map(store.list(accountId), (topics) => ({
            items: topics.toReversed().slice(offsetOf(page), offsetOf(page) + page.pageSize),
            page: page.page,
            pageSize: page.pageSize,
            totalCount: topics.length
          })),
        update
      })
    })
  )
}

const checkNewTopic = (
  request: NewTopic
): Pick<Topic, "key" | "name" | "description" | "defaultOn"> | Problem => {
  const issues: Array<Issue> = []
  const key = request.key.trim()
  if (!isKey(key)) issues.push(issue("topics.key_invalid", "key"))
  const name = checkTopicName(request.name, issues)
  const description = checkDescription(request.description, issues)
  return Problem.from(issues) ?? { key, name, description, defaultOn: request.defaultOn ?? true }
}

const changeTopic = (topic: Topic, patch: TopicUpdate): Topic | Problem => {
  const issues: Array<Issue> = []
  const name = patch.name == null ? topic.name : checkTopicName(patch.name, issues)
  const description =
    patch.description === undefined ? topic.description : checkDescription(patch.description, issues)
  return (
    Problem.from(issues) ?? { ...topic, name, description, isArchived: patch.isArchived ?? topic.isArchived }
  )
}

const summaryOf = ({ defaultOn, description, isArchived, key, name }: Topic) => ({
  key,
  name,
  description,
  defaultOn,
  isArchived
})
