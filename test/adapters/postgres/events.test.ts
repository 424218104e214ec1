/**
 * Tests events on several nodes over one database: each is processed once, in order for each person, during other writes.
 *
 * @module
 */
import { Context, Effect, Layer, Redacted, Ref, Result } from "effect"
import { expect, it } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import type { ContactEvent } from "../../../core/model/Event.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { EventStore } from "../../../core/ports/EventStore.ts"
import { TimelineStore } from "../../../core/ports/TimelineStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import {
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  pause,
  readPages,
  times,
  unique
} from "../../contract/fixtures.ts"
import { makeEventNode } from "../../support/eventNodes.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { makeStatementCounter } from "../../support/statements.ts"

const any = { name: null, status: null, contactId: null }

const nodes = 3
const people = 8
const callsPerPerson = 25
const eventsPerCall = 4

it(
  "events of one person are processed in order, on any node, beside writes of the person",
  { timeout: 240_000 },
  () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Effect.promise(freshDatabase))
      const heard: Array<ContactEvent> = []
      const stores = yield* Effect.forEach(
        times(nodes, () => url),
        (one) => Layer.build(Layer.fresh(layerServer(one)))
      )
      const started = yield* Effect.forEach(stores, (store) =>
        Effect.provideContext(
          makeEventNode((contactEvents) =>
            Effect.sync(() => {
              heard.push(...contactEvents)
            })
          ),
          store
        )
      )
      const store = stores[0]!
      const accountId = yield* Effect.provideContext(freshAccountId, store)
      const emails = times(people, newEmail)
      const working = yield* Effect.forkChild(
        Effect.all(
          started.map(({ worker }) => worker.run),
          { concurrency: "unbounded" }
        )
      )
      /** Makes calls one after another, each on the next node. */
      const report = Effect.fnUntraced(function* (email: string, person: number) {
        for (let call = 0; call < callsPerPerson; call++) {
          const { contacts, events } = started[(call + person) % nodes]!
          const drafts = times(eventsPerCall, (index) =>
            Result.succeed({
              id: unique("event"),
              name: "user.did",
              contact: { email, city: `City ${call}` },
              properties: { step: call * eventsPerCall + index }
            })
          )
          expect((yield* events.accept(accountId, drafts)).accepted).toBe(eventsPerCall)
          if (call % 5 === 0) yield* contacts.write(accountId, { email, lastName: `Name ${call}` })
        }
      })
      yield* Effect.forEach(emails, report, { concurrency: "unbounded", discard: true })
      const { events } = started[0]!
      const total = people * callsPerPerson * eventsPerCall
      const processed = Effect.map(
        events.list(accountId, { status: ["Processed"] }, firstPage),
        ({ totalCount }) => totalCount
      )
      while ((yield* processed) < total) yield* pause(20)
      expect((yield* events.list(accountId, any, firstPage)).totalCount).toBe(total)

      // A rolled back batch is repeated from its beginning, so the last run counts.
      const last = new Map(heard.map((contactEvent, index) => [contactEvent.id, index]))
      expect(last.size).toBe(total)
      const inOrder = heard.filter((contactEvent, index) => last.get(contactEvent.id) === index)
      const byPerson = Map.groupBy(inOrder, (contactEvent) => contactEvent.contactId)
      expect(byPerson.size).toBe(people)
      for (const [contactId, own] of byPerson) {
        expect(own.map((contactEvent) => contactEvent.properties["step"])).toEqual(
          times(callsPerPerson * eventsPerCall, (index) => index)
        )
        const entries = yield* readPages(
          (page) => Context.get(store, TimelineStore).list(accountId, contactId, page),
          200
        )
        expect(entries.map((entry) => entry.id).toSorted()).toEqual(
          own.map((contactEvent) => contactEvent.id).toSorted()
        )
      }
      yield* Effect.sync(() => working.interruptUnsafe())
    }).pipe(Effect.scoped, Effect.runPromise)
)

it("an erasure while events are processed leaves no event of the person", { timeout: 240_000 }, () =>
  Effect.gen(function* () {
    const store = yield* Layer.build(
      Layer.fresh(layerServer(Redacted.make(yield* Effect.promise(freshDatabase))))
    )
    const erased = yield* Ref.make(false)
    const contacts = Context.get(store, ContactStore)
    const events = Context.get(store, EventStore)
    const timeline = Context.get(store, TimelineStore)
    const { run } = Context.get(store, Transaction)
    const accountId = yield* Effect.provideContext(freshAccountId, store)
    const email = newEmail()

    /** The statements with which an erasure changes these tables. */
    const erase = (contactId: string) =>
      run(
        Effect.gen(function* () {
          const [contact] = yield* contacts.find(accountId, { ids: [contactId], externalIds: [], emails: [] })
          yield* contacts.write(accountId, {
            inserts: [],
            updates: [{ ...contact!, email: null, erasedAt: 1, version: contact!.version + 1 }],
            released: [],
            updatedFields: "Any",
            consents: [],
            contactLimit: null
          })
          yield* events.erase(accountId, { contactIds: [contactId], externalIds: [], emails: [email] })
          yield* timeline.erase(accountId, [contactId])
        })
      )

    // The person is found by the address, and erased before the event reaches the flows.
    const finder = yield* Effect.provideContext(
      makeEventNode(() => Effect.void),
      store
    )
    const { contact } = yield* finder.contacts.write(accountId, { email })
    const draft = (to: string) => Result.succeed({ id: newId(), name: "user.did", contact: { email: to } })
    yield* finder.events.accept(accountId, [draft(email), draft(newEmail()), draft(email)])
    const interfering = Context.add(
      store,
      ContactStore,
      ContactStore.of({
        ...contacts,
        // Runs after the events were read, and outside this transaction, which a child fiber would join.
        lock: (account, keys) =>
          Effect.flatMap(Ref.getAndSet(erased, true), (before) =>
            Effect.andThen(
              before ? Effect.void : Effect.promise(() => Effect.runPromise(erase(contact.id))),
              contacts.lock(account, keys)
            )
          )
      })
    )
    const node = yield* Effect.provideContext(
      makeEventNode(() => Effect.void),
      interfering
    )
    yield* node.worker.drain
    const { items } = yield* events.list(accountId, any, firstPage)
    expect(items.map((event) => event.status)).toEqual(["Processed"])
    const back = yield* contacts.find(accountId, { ids: [], externalIds: [], emails: [email] })
    expect(back).toEqual([])
    expect((yield* timeline.list(accountId, contact.id, firstPage)).totalCount).toBe(0)
  }).pipe(Effect.scoped, Effect.runPromise)
)

it("a batch of events takes as many statements for one as for 500", { timeout: 240_000 }, () =>
  Effect.gen(function* () {
    const store = yield* Layer.build(
      Layer.fresh(layerServer(Redacted.make(yield* Effect.promise(freshDatabase))))
    )
    const node = yield* Effect.provideContext(
      makeEventNode(() => Effect.void),
      store
    )
    const accountId = yield* Effect.provideContext(freshAccountId, store)
    const { take, tracer } = makeStatementCounter()
    const countsOf = Effect.fnUntraced(function* (size: number) {
      for (let at = 0; at < size; at += 100) {
        yield* node.events.accept(
          accountId,
          times(Math.min(100, size - at), (index) =>
            Result.succeed({
              id: newId(),
              name: "user.did",
              contact: index % 10 === 9 ? { externalId: newId() } : { email: newEmail() }
            })
          )
        )
      }
      take()
      yield* Effect.withTracer(node.worker.drain, tracer)
      return take()
    })
    yield* countsOf(3)
    const one = yield* countsOf(1)
    expect(one).toBeGreaterThan(3)
    expect(yield* countsOf(400)).toBe(one)
  }).pipe(Effect.scoped, Effect.runPromise)
)
