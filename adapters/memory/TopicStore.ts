/**
 * Topics in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Topic } from "../../core/model/Topic.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<Topic>((topic) => topic.accountId, byField("createdAt"))
  const topics = new Table<Topic, "topics_key">(database, {
    key: (topic) => `${topic.accountId} ${topic.id}`,
    unique: { topics_key: (topic) => `${topic.accountId} ${topic.key}` },
    indexes: [order]
  })

  return TopicStore.of({
    insert: (topic) => Effect.asVoid(database.writeOrConflict(() => topics.insert(frozen(topic)))),
    list: (accountId) => database.read(() => [...order.rows(accountId)]),
    save: ({ accountId, description, id, isArchived, name }) =>
      database.write(() => {
        const stored = topics.get(`${accountId} ${id}`)
        if (stored !== undefined) topics.replace({ ...stored, description, isArchived, name })
      })
  })
}).pipe(Layer.effect(TopicStore))
