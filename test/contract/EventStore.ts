/**
 * The contract of `core/ports/EventStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { eventSources, type EventStatus, eventStatuses, type PendingEvent } from "../../core/model/Event.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { type EventFilter, EventStore } from "../../core/ports/EventStore.ts"
import { TimelineStore } from "../../core/ports/TimelineStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { draftEvent as draft } from "./drafts.ts"
import {
  atOnce,
  changes,
  draftContact,
  endsWithin,
  expectFailure,
  firstPage,
  freshAccountId,
  idAt,
  newEmail,
  newId,
  now,
  oddText,
  readPages,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

const noPerson: PendingEvent["person"] = { contactId: null, externalId: null, email: null }
const any: EventFilter = {}

const oneOf = <A>(value: A | null): ReadonlyArray<A> | null => (value === null ? null : [value])
const unbounded = 1_000_000_000

const idOf = (event: { readonly id: string }): string => event.id

/** The first waiting events of an account, read in their own transaction. */
const lineOf = Effect.fnUntraced(function* (accountId: string, limit = 1000, maxSize = unbounded) {
  const { run } = yield* Transaction
  return yield* run((yield* EventStore).claimBatch(accountId, limit, maxSize))
})

const settle = Effect.fnUntraced(function* (
  accountId: string,
  events: ReadonlyArray<PendingEvent>,
  failure: "common.internal" | null = null
) {
  const store = yield* EventStore
  yield* store.complete(
    accountId,
    events.map(({ id }) => ({ id, failure }))
  )
})

/** Adds events to a new contact's timeline and settles them; returns the contact's id. */
const process = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<PendingEvent>) {
  const contact = draftContact()
  yield* (yield* ContactStore).write(accountId, changes({ inserts: [contact] }))
  yield* (yield* TimelineStore).append(
    accountId,
    events.map(({ id, name, occurredAt, properties }) => ({
      id,
      contactId: contact.id,
      name,
      occurredAt,
      properties,
      source: "Api"
    }))
  )
  yield* settle(accountId, events)
  return contact.id
})

/** Tests of the port `EventStore`. */
export const eventStoreContract = (it: StorageTest): void => {
  describe("EventStore", () => {
    it.effect("returns events as they were added, in the order given", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const full = draft({
          eventId: oddText,
          properties: { [oddText]: oddText, list: [1, null, { deep: true }], number: 1.5, "": "" },
          contact: { email: "a\0b\ud800", firstName: oddText, attributes: { a: [null, { b: "\0" }] } },
          person: { contactId: newId(), externalId: oddText, email: newEmail() },
          size: 123_456
        })
        // Ids and event ids are unsorted: events wait in the order given.
        const events = [draft({ eventId: "z" }), full, draft({ eventId: "a" }), draft()].toReversed()
        expect(new Set(yield* store.insert(accountId, events))).toEqual(new Set(events.map(idOf)))
        const later = draft({ eventId: "b" })
        yield* store.insert(accountId, [later])
        expect(yield* store.insert(accountId, [])).toEqual([])
        expect(yield* lineOf(accountId)).toEqual([...events, later])
        expect(yield* lineOf(yield* freshAccountId)).toEqual([])
      })
    )

    it.effect("finds events by their ids as the list shows them", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const events = [draft(), draft(), draft(), draft()]
        const [processed, failed, waiting] = events as [PendingEvent, PendingEvent, PendingEvent]
        yield* store.insert(accountId, events)
        yield* process(accountId, [processed])
        yield* settle(accountId, [failed], "common.internal")
        const { items } = yield* store.list(accountId, any, firstPage)
        const wanted = [processed, failed, waiting].map(idOf)
        const found = yield* store.find(accountId, [...wanted, wanted[0]!, newId()])
        expect(found.toSorted((a, b) => (a.id < b.id ? 1 : -1))).toEqual(
          items.filter(({ id }) => wanted.includes(id))
        )
        expect(yield* store.find(accountId, [])).toEqual([])
        expect(yield* store.find(yield* freshAccountId, wanted)).toEqual([])
      })
    )

    it.effect(
      "accepts each event id of an account once: in a batch, in several, and in concurrent ones",
      () =>
        Effect.gen(function* () {
          const store = yield* EventStore
          const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
          const first = draft({ eventId: "same", name: "first" })
          expect(yield* store.insert(accountId, [first, draft({ eventId: "same" })])).toEqual([first.id])
          expect(yield* store.insert(accountId, [draft({ eventId: "same" })])).toEqual([])
          expect(yield* store.insert(other, [draft({ eventId: "same" })])).toHaveLength(1)
          const batches = times(10, (index) => {
            const events = times(20, (number) => draft({ eventId: `${number}` }))
            return index % 2 === 0 ? events : events.toReversed()
          })
          const added = successes(yield* atOnce(batches.map((batch) => store.insert(accountId, batch))))
          expect(added).toHaveLength(10)
          expect(added.flat()).toHaveLength(20)
          const line = yield* lineOf(accountId)
          expect(line[0]).toEqual(first)
          expect(line.slice(1).map(idOf).toSorted()).toEqual(added.flat().toSorted())
          // Also once it has been processed.
          yield* settle(accountId, line)
          expect(yield* store.insert(accountId, batches[0]!)).toEqual([])
        })
    )

    it.effect("adds nothing in a transaction that is rolled back", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const event = draft()
        yield* Effect.exit(run(Effect.andThen(store.insert(accountId, [event]), Effect.fail("no"))))
        expect(yield* lineOf(accountId)).toEqual([])
        expect(yield* store.insert(accountId, [event])).toEqual([event.id])
      })
    )

    it.effect("limits a batch by the number of events and by their size", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const events = times(5, () => draft({ size: 100 }))
        yield* store.insert(accountId, events)
        expect(yield* lineOf(accountId, 3)).toEqual(events.slice(0, 3))
        expect(yield* lineOf(accountId, 5, 201)).toEqual(events.slice(0, 3))
        expect(yield* lineOf(accountId, 5, 200)).toEqual(events.slice(0, 2))
        expect(yield* lineOf(accountId, 5, 1)).toEqual(events.slice(0, 1))
      })
    )

    it.effect("locks a batch until the transaction ends; a waiting one sees what is left", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const events = times(4, () => draft())
        yield* store.insert(accountId, events)
        yield* lineOf(accountId)
        const holding = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              const first = yield* store.claimBatch(accountId, 2, unbounded)
              yield* Deferred.succeed(holding, undefined)
              yield* Deferred.await(release)
              yield* settle(accountId, first)
            })
          )
        )
        yield* Deferred.await(holding)
        const waiter = yield* Effect.forkChild(lineOf(accountId))
        expect(yield* endsWithin(Fiber.await(waiter), 50)).toBe(false)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        expect(yield* Fiber.join(waiter)).toEqual(events.slice(2))
      })
    )

    it.effect("claims each event once and in order in concurrent batches", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const events = times(40, () => draft())
        yield* store.insert(accountId, events)
        const taken: Array<PendingEvent> = []
        const turn = run(
          Effect.gen(function* () {
            const line = yield* store.claimBatch(accountId, 7, unbounded)
            // Collected before the commit, because two batches may commit in either order.
            taken.push(...line)
            yield* settle(accountId, line)
          })
        )
        expect(successes(yield* atOnce(times(8, () => turn)))).toHaveLength(8)
        expect(taken).toEqual(events)
      })
    )

    it.effect("settles waiting events, all of them or none", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const [first, second] = [draft(), draft()]
        yield* store.insert(accountId, [first, second])
        yield* settle(accountId, [first])
        yield* expectFailure(settle(accountId, [first, second]), "WriteConflict")
        yield* expectFailure(settle(accountId, [second, draft()]), "WriteConflict")
        yield* expectFailure(settle(yield* freshAccountId, [second]), "WriteConflict")
        expect(yield* lineOf(accountId)).toEqual([second])
        yield* store.complete(accountId, [])
        yield* settle(accountId, [second], "common.internal")
        expect(yield* lineOf(accountId)).toEqual([])
      })
    )

    it.effect("lists an account's events, newest first, by name, status and contact", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const events = times(30, (index) =>
          draft({ name: index % 3 === 0 ? "a" : "b", occurredAt: now + index })
        )
        yield* store.insert(accountId, events)
        yield* store.insert(yield* freshAccountId, [draft({ name: "a" })])
        const contactId = yield* process(accountId, events.slice(0, 10))
        const otherId = yield* process(accountId, events.slice(10, 15))
        yield* settle(accountId, events.slice(15, 21), "common.internal")
        const expected = events
          .map(({ eventId, id, name, occurredAt }, index) => ({
            id,
            eventId,
            name,
            occurredAt,
            status: (index < 15 ? "Processed" : index < 21 ? "Failed" : "Accepted") satisfies EventStatus,
            source: "Api" as const,
            failure: index >= 15 && index < 21 ? "common.internal" : null,
            contactId: index < 10 ? contactId : index < 15 ? otherId : null
          }))
          .toReversed()
        for (const name of [null, "a", "b", "c"]) {
          for (const status of [null, ...eventStatuses]) {
            for (const person of [null, contactId, otherId, newId()]) {
              const listed = yield* readPages(
                (page) =>
                  store.list(
                    accountId,
                    { name: oneOf(name), status: oneOf(status), contactId: oneOf(person) },
                    page
                  ),
                4
              )
              expect(listed).toEqual(
                expected.filter(
                  (event) =>
                    (name === null || event.name === name) &&
                    (status === null || event.status === status) &&
                    (person === null || event.contactId === person)
                )
              )
            }
          }
        }
      })
    )

    it.effect("lists the events that a source reported, with each other filter", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const events = times(12, (index) =>
          draft({ name: index % 3 === 0 ? "a" : "b", source: index % 2 === 0 ? "Api" : "Ui" })
        )
        yield* store.insert(accountId, events)
        const contactId = yield* process(accountId, events.slice(0, 4))
        yield* settle(accountId, events.slice(4, 8), "common.internal")
        const read = (filter: EventFilter) =>
          Effect.map(
            readPages((page) => store.list(accountId, filter, page), 2),
            (found) => found.map(({ id }) => id)
          )
        const those = (passes: (event: PendingEvent, index: number) => boolean) =>
          events.filter(passes).toReversed().map(idOf)
        for (const source of eventSources) {
          expect(yield* read({ source: [source] })).toEqual(those((event) => event.source === source))
          expect(yield* read({ source: [source], name: ["a"] })).toEqual(
            those((event) => event.source === source && event.name === "a")
          )
          expect(yield* read({ source: [source], contactId: [contactId] })).toEqual(
            those((event, index) => event.source === source && index < 4)
          )
          for (const [place, status] of (["Processed", "Failed", "Accepted"] as const).entries()) {
            expect(yield* read({ source: [source], status: [status] })).toEqual(
              those((event, index) => event.source === source && Math.floor(index / 4) === place)
            )
          }
          expect(yield* read({ source: [source], q: events[1]!.id })).toEqual(
            source === "Ui" ? [events[1]!.id] : []
          )
        }
        expect(yield* read({ source: ["Ui", "Api"] })).toEqual(those(() => true))
      })
    )

    it.effect("lists the events of a source whose ids are of another time", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const [first, last] = [0, Date.UTC(9999, 0, 1)]
        const events = [first, ...times(6, (index) => last + index)].flatMap((time) =>
          eventSources.map((source) => draft({ id: idAt(time), source, name: "a" }))
        )
        yield* store.insert(accountId, events)
        yield* process(accountId, events)
        const newest = events.map(idOf).toSorted().toReversed()
        for (const source of eventSources) {
          const those = newest.filter((id) => events.some((one) => one.id === id && one.source === source))
          const filters: ReadonlyArray<EventFilter> = [
            { source: [source] },
            { source: [source], status: ["Processed"] },
            { source: [source], name: ["a"] },
            { source: [source], since: first, until: last + 6 }
          ]
          for (const filter of filters) {
            const found = yield* readPages((page) => store.list(accountId, filter, page), 2)
            expect(found.map(({ id }) => id)).toEqual(those)
          }
        }
      })
    )

    it.effect("erases people's events in every state, and no others", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const timeline = yield* TimelineStore
        const accountId = yield* freshAccountId
        const processed = [draft(), draft(), draft()]
        yield* store.insert(accountId, processed)
        const contactId = yield* process(accountId, processed.slice(0, 1))
        const otherId = yield* process(accountId, processed.slice(1, 2))
        const secondId = yield* process(accountId, processed.slice(2))
        const [externalId, secondUser, email, former] = [
          unique("user"),
          unique("user"),
          newEmail(),
          newEmail()
        ]
        const people = [
          { ...noPerson, contactId },
          { ...noPerson, contactId: secondId },
          { ...noPerson, externalId },
          { ...noPerson, externalId: secondUser },
          { ...noPerson, email },
          { ...noPerson, email: former },
          { contactId: newId(), externalId: unique("user"), email }
        ]
        const others = [
          noPerson,
          { ...noPerson, contactId: otherId },
          { contactId: newId(), externalId: email, email: newEmail() }
        ]
        const theirs = [...people, ...people].map((person) => draft({ person }))
        const kept = [...others, ...others].map((person) => draft({ person }))
        const elsewhere = yield* freshAccountId
        const same = people.map((person) => draft({ person }))
        yield* store.insert(elsewhere, same)
        yield* store.insert(accountId, [...theirs, ...kept])
        yield* settle(accountId, [...theirs.slice(people.length), ...kept.slice(3)], "common.internal")

        yield* store.erase(accountId, {
          contactIds: [contactId, secondId],
          externalIds: [externalId, secondUser],
          emails: [email, former]
        })
        yield* timeline.erase(accountId, [contactId, secondId])
        const left = [processed[1]!, ...kept].map(idOf).toReversed()
        expect((yield* store.list(accountId, any, firstPage)).items.map(idOf)).toEqual(left)
        expect(yield* lineOf(accountId)).toEqual(kept.slice(0, 3))
        expect((yield* store.list(elsewhere, any, firstPage)).totalCount).toBe(people.length)
        yield* expectFailure(settle(accountId, theirs.slice(0, 1)), "WriteConflict")

        // A person without an external id or an address must not match null values.
        yield* store.erase(accountId, { contactIds: [newId()], externalIds: [], emails: [] })
        yield* store.erase(accountId, { contactIds: [], externalIds: [], emails: [] })
        expect((yield* store.list(accountId, any, firstPage)).totalCount).toBe(left.length)
        // An erased event id can be used again.
        expect(yield* store.insert(accountId, theirs)).toHaveLength(theirs.length)
      })
    )

    it.effect("accepts 5,000 events at once", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const accountId = yield* freshAccountId
        const events = times(5000, () => draft({ properties: { text: "x".repeat(100) } }))
        expect(yield* store.insert(accountId, events)).toHaveLength(5000)
        yield* settle(accountId, events.slice(0, 2500))
        expect(yield* lineOf(accountId, 1)).toEqual([events[2500]])
      })
    )
  })
}
