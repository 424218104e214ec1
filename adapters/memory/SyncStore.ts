/**
 * What has been taken in of connected stores, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type SyncedKind, type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { Database } from "./Database.ts"
import { GroupIndex } from "./GroupIndex.ts"
import { frozen, perAccount, Table } from "./Table.ts"

interface Row extends SyncedRecord {
  readonly storeId: string
}

interface Event {
  readonly storeId: string
  readonly id: string
}

const eventKey = ({ id, storeId }: Event): string => `${storeId} ${id}`

const recordKey = (row: {
  readonly storeId: string
  readonly kind: SyncedKind
  readonly externalId: string
}) => `${row.storeId} ${row.kind} ${row.externalId}`

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  SyncStore,
  Effect.gen(function* () {
    const database = yield* Database
    const of = perAccount(() => {
      const ofContact = new GroupIndex<Row>((row) => row.contactId, recordKey)
      return {
        // The event's key is no primary key here, since a taken one is a refusal and no defect.
        events: new Table<Event & { readonly place: string }, "store_events_id">(database, {
          key: (event) => event.place,
          unique: { store_events_id: eventKey }
        }),
        ofContact,
        records: new Table<Row>(database, { key: recordKey, indexes: [ofContact] })
      }
    })
    let places = 0

    return SyncStore.of({
      seen: (accountId, storeId, eventIds) =>
        database.read(() => {
          const { events } = of(accountId)
          return [...new Set(eventIds)].filter(
            (id) => events.by("store_events_id", eventKey({ storeId, id })) !== undefined
          )
        }),
      remember: (accountId, storeId, eventIds) =>
        database.writeUnlessRefused(() => {
          for (const id of eventIds) of(accountId).events.insert({ storeId, id, place: String(++places) })
        }),
      find: (accountId, storeId, kind, externalIds) =>
        database.read(() =>
          of(accountId)
            .records.getMany(externalIds.map((externalId) => recordKey({ storeId, kind, externalId })))
            .map(({ contactId, externalId, sourceUpdatedAt }) => ({
              kind,
              externalId,
              contactId,
              sourceUpdatedAt
            }))
        ),
      put: (accountId, storeId, records) =>
        database.write(() => {
          const { records: table } = of(accountId)
          for (const record of records) {
            const row = frozen({ ...record, storeId })
            if (table.get(recordKey(row)) === undefined) table.insert(row)
            else table.replace(row)
          }
        }),
      erase: (accountId, contactId) =>
        database.write(() => {
          const { ofContact, records } = of(accountId)
          for (const key of ofContact.members(contactId).keys()) records.remove(key)
        })
    })
  })
)
