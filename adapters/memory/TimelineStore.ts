/**
 * Timelines of contacts in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables

  return TimelineStore.of({
    append: (accountId, entries) =>
      database.write(() => {
        const { contacts, timeline } = audienceOf(accountId)
        return entries.flatMap(({ contactId, id, name, occurredAt, properties, source }) => {
          const contact = contacts.get(contactId)
          if (contact === undefined || contact.erasedAt !== null || timeline.get(id) !== undefined) return []
          timeline.insert(frozen({ id, contactId, name, occurredAt, properties, source }))
          return [id]
        })
      }),
    list: (accountId, contactId, page) =>
      database.read(() => audienceOf(accountId).happened.page(contactId, page, placeBy("occurredAt"))),
    remove: (accountId, ids) => database.write(() => audienceOf(accountId).timeline.removeMany(ids)),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { happened, timeline } = audienceOf(accountId)
        timeline.removeMany(contactIds.flatMap((contactId) => happened.rows(contactId)).map(({ id }) => id))
      }),
    eraseStore: (accountId, contactIds, storeId) =>
      database.write(() => {
        const { happened, timeline } = audienceOf(accountId)
        const reported = [...new Set(contactIds)].flatMap((contactId) =>
          happened
            .rows(contactId)
            .filter((entry) => entry.source === "Store" && entry.properties["storeId"] === storeId)
        )
        timeline.removeMany(reported.map(({ id }) => id))
      })
  })
}).pipe(Layer.effect(TimelineStore))
