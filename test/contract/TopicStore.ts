/**
 * The contract of `core/ports/TopicStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Topic } from "../../core/model/Topic.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (accountId: string, key: string, values: Partial<Topic> = {}): Topic => ({
  id: newId(),
  accountId,
  key,
  name: key,
  description: null,
  defaultOn: true,
  isArchived: false,
  createdAt: now,
  ...values
})

/** Tests of the port `TopicStore`. */
export const topicStoreContract = (it: StorageTest): void => {
  describe("TopicStore", () => {
    it.effect("returns topics as they were added, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const accountId = yield* freshAccountId
        const middle = times(3, (index) => draft(accountId, `topic_${index}`))
        const first = draft(accountId, "zz", {
          name: oddText,
          description: oddText,
          defaultOn: false,
          isArchived: true,
          createdAt: now - 1
        })
        const last = draft(accountId, "aa", { createdAt: now + 1 })
        for (const topic of [last, ...middle.toReversed(), first]) yield* store.insert(topic)
        expect(yield* store.list(accountId)).toEqual([first, ...middle, last])
        expect(yield* store.list(yield* freshAccountId)).toEqual([])
      })
    )

    it.effect("rejects a key of the account, and allows it in another account", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const accountId = yield* freshAccountId
        const topic = draft(accountId, "news", { isArchived: true })
        yield* store.insert(topic)
        const conflict = yield* expectFailure(store.insert(draft(accountId, "news")), "WriteConflict")
        expect(conflict.constraint).toBe("topics_key")
        yield* store.insert(draft(yield* freshAccountId, "news"))
        expect(yield* store.list(accountId)).toEqual([topic])
      })
    )

    it.effect("accepts one of concurrent topics with the same key", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const accountId = yield* freshAccountId
        const topics = times(15, () => draft(accountId, "news"))
        const exits = yield* atOnce(topics.map((topic) => Effect.as(store.insert(topic), topic)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(1)
        expect(yield* store.list(accountId)).toEqual(successes(exits))
      })
    )

    it.effect("replaces a topic's name, description and archiving, and nothing else", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const accountId = yield* freshAccountId
        const topic = draft(accountId, "news")
        const other = draft(accountId, "offers")
        yield* store.insert(topic)
        yield* store.insert(other)
        const changes = { name: oddText, description: oddText, isArchived: true }
        yield* store.save({ ...topic, ...changes, key: "else", defaultOn: false, createdAt: now + 5 })
        expect(yield* store.list(accountId)).toEqual([{ ...topic, ...changes }, other])
        yield* store.save(topic)
        yield* store.save(draft(accountId, "unknown"))
        yield* store.save({ ...other, accountId: yield* freshAccountId, name: "of another account" })
        expect(yield* store.list(accountId)).toEqual([topic, other])
      })
    )
  })
}
