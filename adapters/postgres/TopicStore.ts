/**
 * Topics in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Topic } from "../../core/model/Topic.ts"
import { TopicStore } from "../../core/ports/TopicStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"

const topics = columnsOf({
  id: "uuid",
  accountId: "uuid",
  key: "text",
  name: "text",
  description: "text",
  defaultOn: "boolean",
  isArchived: "boolean",
  createdAt: "timestamptz"
} satisfies Record<keyof Topic, string>)

const insertStatement = `
  insert into topics (${topics.names})
  select ${topics.fields} from json_to_recordset($1::json) as r(${topics.recordset})`

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(topics.selected("topics"))

    return TopicStore.of({
      insert: (topic) => Effect.asVoid(orConflict(sql.unsafe(insertStatement, [topics.encode([topic])]))),
      list: (accountId) =>
        Effect.map(
          orUnavailable(
            sql<object>`select ${columns} from topics where account_id = ${accountId} order by created_at, id`
          ),
          (rows) => rows.map((row) => topics.decode<Topic>(row))
        ),
      save: ({ accountId, description, id, isArchived, name }) =>
        Effect.asVoid(
          orUnavailable(sql`
            update topics set name = ${name}, description = ${description}::text, is_archived = ${isArchived}
            where account_id = ${accountId} and id = ${id}`)
        )
    })
  })
)
