/**
 * Stores topics in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { Database } from "./engine/Database.ts"
import { all } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables

  return TopicStore.of({
    insert: (topic) =>
      Effect.asVoid(database.writeOrConflict(() => audienceOf(topic.accountId).topics.insert(frozen(topic)))),
    list: (accountId) => database.read(() => [...audienceOf(accountId).shownTopics.rows(all)]),
    save: ({ accountId, description, id, isArchived, name }) =>
      database.write(() => {
        const { topics } = audienceOf(accountId)
        const stored = topics.get(id)
        if (stored !== undefined) topics.replace({ ...stored, description, isArchived, name })
      })
  })
}).pipe(Layer.effect(TopicStore))
