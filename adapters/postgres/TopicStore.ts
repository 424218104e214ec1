/**
 * Stores topics in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Topic } from "../../core/model/Topic.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Topic>({
  id: "uuid",
  accountId: "uuid",
  key: "text",
  name: "text",
  description: "text",
  defaultOn: "boolean",
  isArchived: "boolean",
  createdAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const topics = yield* tableOf("topics", columns)

  return TopicStore.of({
    insert: (topic) => topics.insertOrConflict([topic]),
    list: (accountId) =>
      topics.select(sql`from topics where account_id = ${accountId} order by created_at, id`),
    save: (topic) =>
      Effect.asVoid(topics.update(topic, ["name", "description", "isArchived"], ["accountId", "id"]))
  })
}).pipe(Layer.effect(TopicStore))
