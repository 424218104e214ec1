/**
 * Stores contact fields in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type ContactField, maxFields } from "../../core/model/ContactField.ts"
import { ContactFieldStore } from "../../core/ports/ContactFieldStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { compareText, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

const keyOf = (field: { readonly accountId: string; readonly key: string }): string =>
  `${field.accountId} ${field.key}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<ContactField>(
    (field) => field.accountId,
    (a, b) => compareText(a.key, b.key)
  )
  const fields = new Table<ContactField>(database, { key: keyOf, indexes: [order] })

  return ContactFieldStore.of({
    insert: (accountId, added) =>
      database.writeOrConflict(() => {
        for (const field of added) {
          if (fields.get(keyOf(field)) !== undefined) {
            throw new WriteConflict({ constraint: "contact_fields_key" })
          }
          fields.insert(frozen(field))
        }
        if (order.rows(accountId).length > maxFields) {
          throw new WriteConflict({ constraint: "contact_fields_limit" })
        }
      }),
    list: (accountId) => database.read(() => [...order.rows(accountId)]),
    save: (field) =>
      database.write(() => {
        const stored = fields.get(keyOf(field))
        if (stored === undefined) return
        const { archivedAt, description, label } = field
        fields.replace({ ...stored, archivedAt, description, label })
      })
  })
}).pipe(Layer.effect(ContactFieldStore))
