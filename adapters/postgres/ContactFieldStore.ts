/**
 * Contact fields in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type ContactField, maxFields } from "../../core/model/ContactField.ts"
import { ContactFieldStore } from "../../core/ports/ContactFieldStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"

const fields = columnsOf({
  accountId: "uuid",
  key: "text",
  label: "text",
  type: "text",
  description: "text",
  createdFrom: "text",
  createdAt: "timestamptz",
  archivedAt: "timestamptz"
} satisfies Record<keyof ContactField, string>)

const insertStatement = `
  insert into contact_fields (${fields.names})
  select ${fields.fields} from json_to_recordset($1::json) as r(${fields.recordset}) order by key collate "C"`

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  ContactFieldStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { run } = yield* Transaction
    const columns = sql.literal(fields.selected("contact_fields"))

    // The limit counts rows that exist already, so writers of one account go one after the other; the count must be
    // a statement of its own to see what the writer before has committed.
    const insert = Effect.fnUntraced(function* (accountId: string, added: ReadonlyArray<ContactField>) {
      yield* orConflict(
        sql`select pg_advisory_xact_lock(hashtextextended(${`contact_fields:${accountId}`}, 0))`
      )
      yield* orConflict(sql.unsafe(insertStatement, [fields.encode(added)]))
      yield* orConflict(sql`
        select svc_conflict('contact_fields_limit')
        from (select count(*) as fields from contact_fields where account_id = ${accountId}) f
        where f.fields > ${maxFields}::int`)
    })

    return ContactFieldStore.of({
      insert: (accountId, added) => (added.length === 0 ? Effect.void : run(insert(accountId, added))),
      list: (accountId) =>
        Effect.map(
          orUnavailable(
            sql<object>`select ${columns} from contact_fields where account_id = ${accountId} order by key`
          ),
          (rows) => rows.map((row) => fields.decode<ContactField>(row))
        ),
      save: ({ accountId, archivedAt, description, key, label }) =>
        Effect.asVoid(
          orUnavailable(sql`
            update contact_fields set label = ${label}, description = ${description}::text,
              archived_at = ${archivedAt === null ? null : new Date(archivedAt)}::timestamptz
            where account_id = ${accountId} and key = ${key}`)
        )
    })
  })
)
