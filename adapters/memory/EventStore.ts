/**
 * Stores reported events in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { EventStatus, EventSummary, PendingEvent } from "../../core/model/Event.ts"
import { type EventFilter, EventStore } from "../../core/ports/EventStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { firstIdAt } from "../../core/shared/Uuid.ts"
import { mapPage, pageOfAll, placeById } from "../../core/shared/Page.ts"
import type { Code } from "../../core/shared/Problem.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { Database } from "./engine/Database.ts"
import { all, compareText, lowerBound, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, perAccount, Table } from "./engine/Table.ts"

/** An event. `pending` is null if it was processed or has failed, `person` is null if it was processed. */
interface Row extends Pick<PendingEvent, "id" | "eventId" | "name" | "occurredAt" | "source"> {
  readonly status: EventStatus
  readonly failure: Code | null
  readonly position: number
  readonly pending: PendingEvent | null
  readonly person: PendingEvent["person"] | null
}

const byId = (a: Row, b: Row): number => compareText(a.id, b.id)

const makeEvents = (database: Database["Service"]) => {
  const newest = new SortedIndex<Row>(() => all, byId)
  const byName = new SortedIndex<Row>((row) => row.name, byId)
  const byStatus = new SortedIndex<Row>((row) => row.status, byId)
  const queue = new SortedIndex<Row>(
    (row) => (row.pending === null ? null : all),
    (a, b) => a.position - b.position
  )
  return {
    events: new Table<Row, "events_event_id">(database, {
      key: (row) => row.id,
      unique: { events_event_id: (row) => row.eventId },
      indexes: [newest, byName, byStatus, queue]
    }),
    newest,
    byName,
    byStatus,
    queue
  }
}

type Events = ReturnType<typeof makeEvents>

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: audienceOf } = yield* AudienceTables
  const eventsOf = perAccount(() => makeEvents(database))
  let position = 0

  /** The events on a contact's timeline, oldest first by id. */
  const ofContact = (accountId: string, { events }: Events, contactId: string): ReadonlyArray<Row> =>
    events.getMany(
      audienceOf(accountId)
        .happened.rows(contactId)
        .map((entry) => entry.id)
        .toSorted(compareText)
    )

  /** The rows that match a filter, oldest first. */
  const filtered = (accountId: string, filter: EventFilter): ReadonlyArray<Row> => {
    const { contactId = null, name = null, q = null, since = null } = filter
    const { source = null, status = null, until = null } = filter
    const own = eventsOf(accountId)
    const sources =
      contactId !== null
        ? contactId.map((id) => ofContact(accountId, own, id))
        : name !== null
          ? name.map((one) => own.byName.rows(one))
          : (status?.map((one) => own.byStatus.rows(one)) ?? null)
    const found = sources === null ? own.newest.rows(all) : sources.flat().sort(byId)
    if ([name, q, since, source, status, until].every((test) => test === null)) return found
    const lowest = since === null ? null : firstIdAt(Math.max(0, since))
    const highest = until === null ? null : firstIdAt(Math.max(0, until))
    return found.filter(
      (row) =>
        (name === null || name.includes(row.name)) &&
        (status === null || status.includes(row.status)) &&
        (source === null || source.includes(row.source)) &&
        (lowest === null || row.id >= lowest) &&
        (highest === null || row.id < highest) &&
        (q === null || row.eventId === q || row.id === q.toLowerCase() || row.failure === q)
    )
  }

  const summaryOf = (
    accountId: string,
    { eventId, failure, id, name, occurredAt, source, status }: Row
  ): EventSummary => ({
    id,
    eventId,
    name,
    occurredAt,
    status,
    source,
    failure,
    contactId: audienceOf(accountId).timeline.get(id)?.contactId ?? null
  })

  return EventStore.of({
    insert: (accountId, given) =>
      database.write(() => {
        const { events } = eventsOf(accountId)
        return given.flatMap((event) => {
          if (events.by("events_event_id", event.eventId) !== undefined) return []
          const pending = frozen(event)
          const { eventId, id, name, occurredAt, person, source } = pending
          events.insert({
            id,
            eventId,
            name,
            occurredAt,
            status: "Accepted",
            source,
            failure: null,
            position: position++,
            pending,
            person
          })
          return [id]
        })
      }),
    claimBatch: (accountId, limit, maxSize) =>
      database.read(() => {
        const taken: Array<PendingEvent> = []
        let size = 0
        for (const { pending } of eventsOf(accountId).queue.rows(all)) {
          if (pending === null || taken.length === limit || size >= maxSize) break
          taken.push(pending)
          size += pending.size
        }
        return taken
      }),
    complete: (accountId, settled) =>
      database.writeOrConflict(() => {
        const { events } = eventsOf(accountId)
        for (const { failure, id } of settled) {
          const row = events.get(id)
          if (row === undefined || row.pending === null) {
            throw new WriteConflict({ constraint: "events_pending" })
          }
          const status = failure === null ? "Processed" : "Failed"
          const person = failure === null ? null : row.person
          events.replace({ ...row, status, failure, pending: null, person })
        }
      }),
    list: (accountId, filter, page) =>
      database.read(() => {
        const shown = pageOfAll(filtered(accountId, filter), page, placeById)
        return mapPage(shown, (row) => summaryOf(accountId, row))
      }),
    find: (accountId, ids) =>
      database.read(() =>
        eventsOf(accountId)
          .events.getMany(ids)
          .map((row) => summaryOf(accountId, row))
      ),
    countByDay: (accountId, days) =>
      database.read(() => {
        const rows = eventsOf(accountId).newest.rows(all)
        const placeOf = (time: number) => lowerBound(rows, ({ id }) => compareText(id, firstIdAt(time)))
        return days.map(({ from, to }) => placeOf(to) - placeOf(from))
      }),
    erase: (accountId, owners) =>
      database.write(() => {
        const own = eventsOf(accountId)
        const contactIds = new Set<string | null>(owners.contactIds)
        const externalIds = new Set<string | null>(owners.externalIds)
        const emails = new Set<string | null>(owners.emails)
        const named = [...own.byStatus.rows("Accepted"), ...own.byStatus.rows("Failed")].filter(
          ({ person }) =>
            person !== null &&
            (contactIds.has(person.contactId) ||
              externalIds.has(person.externalId) ||
              emails.has(person.email))
        )
        const processed = owners.contactIds.flatMap((contactId) => ofContact(accountId, own, contactId))
        own.events.removeMany([...named, ...processed].map(({ id }) => id))
      })
  })
}).pipe(Layer.effect(EventStore))
