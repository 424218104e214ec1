/**
 * Processed events and records of connected stores, in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type SyncedKind, type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { DistinctIndex } from "./engine/DistinctIndex.ts"
import { all, byField, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

interface Row extends SyncedRecord {
  readonly storeId: string
}

interface Event {
  readonly accountId: string
  readonly storeId: string
  readonly eventId: string
  /** A sequence number: a taken primary key would be a defect, a taken event id is a conflict. */
  readonly id: string
  readonly receivedAt: number
}

const eventKey = (accountId: string, storeId: string, eventId: string): string =>
  `${accountId} ${storeId} ${eventId}`

const recordKey = (row: {
  readonly storeId: string
  readonly kind: SyncedKind
  readonly externalId: string
}) => `${row.storeId} ${row.kind} ${row.externalId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const ages = new SortedIndex<Event>(() => all, byField("receivedAt"))
  const events = new Table<Event, "store_events_id">(database, {
    key: (event) => event.id,
    unique: {
      store_events_id: ({ accountId, eventId, storeId }) => eventKey(accountId, storeId, eventId)
    },
    indexes: [ages]
  })
  const of = perAccount(() => {
    const ofContact = new DistinctIndex<Row>((row) => row.contactId, recordKey)
    const ofStore = new DistinctIndex<Row>((row) => row.storeId, recordKey)
    return {
      ofContact,
      ofStore,
      records: new Table<Row>(database, { key: recordKey, indexes: [ofContact, ofStore] })
    }
  })
  let last = 0

  return SyncStore.of({
    seen: (accountId, storeId, eventIds) =>
      database.read(() =>
        [...new Set(eventIds)].filter(
          (id) => events.by("store_events_id", eventKey(accountId, storeId, id)) !== undefined
        )
      ),
    remember: (accountId, storeId, eventIds, now) =>
      database.writeOrConflict(() => {
        for (const eventId of eventIds) {
          events.insert({ accountId, storeId, eventId, id: String(++last), receivedAt: now })
        }
      }),
    prune: (before, limit) =>
      database.write(() => {
        const old = firstRows(ages.rows(all), limit, (event) => event.receivedAt < before)
        events.removeMany(old.map(({ id }) => id))
        return old.length
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
      database.writeOrConflict(() => {
        const { records: table } = of(accountId)
        for (const record of records) {
          const row = frozen({ ...record, storeId })
          const before = table.get(recordKey(row))
          if (before === undefined) table.insert(row)
          else if (before.sourceUpdatedAt > row.sourceUpdatedAt) {
            throw new WriteConflict({ constraint: "store_records_newer" })
          } else table.replace(row)
        }
      }),
    erase: (accountId, contactIds) =>
      database.write(() => {
        const { ofContact, records } = of(accountId)
        records.removeMany(contactIds.flatMap((contactId) => [...ofContact.members(contactId).keys()]))
      }),
    eraseStore: (accountId, storeId, limit) =>
      database.write(() => {
        const { ofStore, records } = of(accountId)
        const stored = [...ofStore.members(storeId).keys()].slice(0, limit)
        records.removeMany(stored)
        const received = ages
          .rows(all)
          .filter((event) => event.accountId === accountId && event.storeId === storeId)
          .slice(0, limit)
        events.removeMany(received.map(({ id }) => id))
        return stored.length + received.length
      })
  })
}).pipe(Layer.effect(SyncStore))
