/**
 * Stores the processed events and the records of connected stores in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type FailedEvent, maxFailedEvents, type ReceivedEvent } from "../../core/model/ReceivedEvent.ts"
import { type SyncedKind, type SyncedRecord, SyncStore } from "../../core/ports/SyncStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { comparePlaces, pageOfAll } from "../../core/shared/Page.ts"
import { DistinctIndex } from "./engine/DistinctIndex.ts"
import { all, byField, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

interface Row extends SyncedRecord {
  readonly storeId: string
}

interface Event extends ReceivedEvent {
  readonly accountId: string
  readonly storeId: string
  /** A sequence number, which is always free. A taken event id is a conflict, whereas a taken primary key would be a defect. */
  readonly id: string
  /** Null for an accepted event. */
  readonly failed: FailedEvent | null
}

const eventKey = (accountId: string, storeId: string, eventId: string): string =>
  `${accountId} ${storeId} ${eventId}`

const storeKey = ({ accountId, storeId }: Pick<Event, "accountId" | "storeId">): string =>
  `${accountId} ${storeId}`

const placeOf = ({ eventId, receivedAt }: ReceivedEvent) => [receivedAt, eventId] as const

const shown = (event: Event): ReceivedEvent => ({
  eventId: event.eventId,
  name: event.name,
  status: event.status,
  receivedAt: event.receivedAt,
  code: event.code,
  field: event.field,
  isKept: event.isKept
})

const recordKey = (row: {
  readonly storeId: string
  readonly kind: SyncedKind
  readonly externalId: string
}) => `${row.storeId} ${row.kind} ${row.externalId}`

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const ages = new SortedIndex<Event>(() => all, byField("receivedAt"))
  const ofStores = new SortedIndex<Event>(storeKey, (a, b) => comparePlaces(placeOf(a), placeOf(b)))
  const events = new Table<Event, "store_events_id">(database, {
    key: (event) => event.id,
    unique: {
      store_events_id: ({ accountId, eventId, storeId }) => eventKey(accountId, storeId, eventId)
    },
    indexes: [ages, ofStores]
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

  /** Adds an event. If one with the same id exists, it is replaced if `isReplaced`; otherwise throws `WriteConflict`. */
  const put = (given: Omit<Event, "id">, isReplaced: (before: Event) => boolean) => {
    const before = events.by("store_events_id", eventKey(given.accountId, given.storeId, given.eventId))
    if (before !== undefined && isReplaced(before)) events.replace(frozen({ ...given, id: before.id }))
    else events.insert(frozen({ ...given, id: String(++last) }))
  }
  const failedOf = (accountId: string, storeId: string) =>
    ofStores.rows(storeKey({ accountId, storeId })).filter(({ status }) => status === "Failed")

  return SyncStore.of({
    seen: (accountId, storeId, eventIds) =>
      database.read(() =>
        [...new Set(eventIds)].filter(
          (id) => events.by("store_events_id", eventKey(accountId, storeId, id))?.status === "Accepted"
        )
      ),
    remember: (accountId, storeId, accepted, now) =>
      database.writeOrConflict(() => {
        for (const { id: eventId, name } of accepted) {
          const none = { code: null, field: null, isKept: false, failed: null }
          put(
            { accountId, storeId, eventId, name, status: "Accepted", receivedAt: now, ...none },
            ({ status }) => status === "Failed"
          )
        }
      }),
    fail: (accountId, storeId, failed, replaced) =>
      database.write(() => {
        for (const event of failed) {
          const { code, eventId, field, given, name, receivedAt } = event
          const before = events.by("store_events_id", eventKey(accountId, storeId, eventId))
          if (before?.status === "Accepted" && replaced === "Failed") continue
          const isKept = given !== null
          put(
            {
              accountId,
              storeId,
              eventId,
              name,
              status: "Failed",
              receivedAt,
              code,
              field,
              isKept,
              failed: event
            },
            () => true
          )
        }
        const kept = failedOf(accountId, storeId)
        events.removeMany(kept.slice(0, Math.max(0, kept.length - maxFailedEvents)).map(({ id }) => id))
      }),
    events: (accountId, storeId, { since, status, until }, page) =>
      database.read(() =>
        pageOfAll(
          ofStores
            .rows(storeKey({ accountId, storeId }))
            .filter(
              (event) =>
                (status == null || status.includes(event.status)) &&
                (since == null || event.receivedAt >= since) &&
                (until == null || event.receivedAt < until)
            )
            .map(shown),
          page,
          placeOf
        )
      ),
    failed: (accountId, storeId, { ids, until }, after, limit) =>
      database.read(() =>
        failedOf(accountId, storeId)
          .filter(
            (event) =>
              (ids === null || ids.includes(event.eventId)) &&
              event.receivedAt <= until &&
              (after === null || comparePlaces(placeOf(event), after) > 0)
          )
          .slice(0, limit)
          .flatMap(({ failed }) =>
            failed === null
              ? []
              : [
                  {
                    eventId: failed.eventId,
                    name: failed.name,
                    receivedAt: failed.receivedAt,
                    given: failed.given
                  }
                ]
          )
      ),
    activity: (accountId, storeIds) =>
      database.read(() =>
        storeIds.map((storeId) => ({
          storeId,
          lastEventAt:
            ofStores.rows(storeKey({ accountId, storeId })).findLast(({ status }) => status === "Accepted")
              ?.receivedAt ?? null,
          failedEvents: failedOf(accountId, storeId).length
        }))
      ),
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
    erase: (accountId, contactIds, emails) =>
      database.write(() => {
        const { ofContact, records } = of(accountId)
        const customers = new Set(
          records
            .getMany(contactIds.flatMap((contactId) => [...ofContact.members(contactId).keys()]))
            .filter(({ kind }) => kind === "Customer")
            .map(({ externalId, storeId }) => `${storeId} #${externalId}`)
        )
        const addresses = new Set(emails)
        const gone = ages
          .rows(all)
          .filter(
            ({ accountId: owner, failed, storeId }) =>
              owner === accountId &&
              failed !== null &&
              failed.people.some((person) => addresses.has(person) || customers.has(`${storeId} ${person}`))
          )
        events.removeMany(gone.map(({ id }) => id))
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
