/**
 * Stores contact fields in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type ContactField, maxFields } from "../../core/model/ContactField.ts"
import { ContactFieldStore } from "../../core/ports/ContactFieldStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { makeInsertWithinLimit } from "./sql/limits.ts"
import { ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<ContactField>({
  accountId: "uuid",
  key: "text",
  label: "text",
  type: "text",
  description: "text",
  createdFrom: "text",
  createdAt: "timestamptz",
  archivedAt: "timestamptz"
})

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const fields = yield* tableOf("contact_fields", columns)
  const insertWithinLimit = yield* makeInsertWithinLimit

  return ContactFieldStore.of({
    insert: (accountId, added) =>
      insertWithinLimit(
        [`contact_fields:${accountId}`],
        fields.insertOrConflict(added, `order by key collate "C"`),
        sql`
          select svc_conflict('contact_fields_limit')
          from (select count(*) as fields from contact_fields where account_id = ${accountId}) f
          where f.fields > ${maxFields}::int`
      ).pipe(ifAny(added)),
    list: (accountId) => fields.select(sql`from contact_fields where account_id = ${accountId} order by key`),
    save: (field) =>
      Effect.asVoid(fields.update(field, ["label", "description", "archivedAt"], ["accountId", "key"]))
  })
}).pipe(Layer.effect(ContactFieldStore))
