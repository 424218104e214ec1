/**
 * Tests of processing reported events over storage in memory: they are recorded for their contacts and dispatched to flows.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Logger, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as memory } from "../../../adapters/memory/index.ts"
import type { ContactEvent } from "../../../core/model/Event.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { TimelineStore } from "../../../core/ports/TimelineStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import {
  firstPage,
  freshAccountId,
  newEmail,
  newId,
  now,
  type StoragePorts,
  times,
  unique
} from "../../contract/fixtures.ts"
import { makeEventNode } from "../../support/eventNodes.ts"

const any = { name: null, status: null, contactId: null }
const start = now

/** Runs a test with its own storage and the clock at `start`. */
const inMemory = <A, E>(body: Effect.Effect<A, E, StoragePorts | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(start), body).pipe(
    Effect.scoped,
    Effect.provide(Layer.mergeAll(Layer.fresh(memory), Logger.layer([])))
  )

const event = (contact: object, values: object = {}) =>
  Result.succeed({ id: unique("event"), name: "user.did", contact, ...values })

const none = () => Effect.void

describe("EventProcessing", () => {
  it.effect("dispatches events to flows in the order of acceptance, each once, with their contacts", () =>
    inMemory(
      Effect.gen(function* () {
        const heard: Array<ContactEvent> = []
        const { events, worker } = yield* makeEventNode((contactEvents) =>
          Effect.sync(() => {
            heard.push(...contactEvents)
          })
        )
        const accountId = yield* freshAccountId
        const emails = times(3, newEmail)
        const reported = times(1300, (index) =>
          event(
            { email: emails[index % 3] },
            { properties: { index }, occurredAt: new Date(start - index).toISOString() }
          )
        )
        for (let at = 0; at < reported.length; at += 100) {
          const report = yield* events.accept(accountId, reported.slice(at, at + 100))
          expect(report).toEqual({ accepted: 100, duplicates: 0, rejected: [] })
          expect((yield* events.accept(accountId, reported.slice(at, at + 100))).duplicates).toBe(100)
        }
        yield* worker.drain
        expect(heard.map((contactEvent) => contactEvent.properties["index"])).toEqual(
          times(1300, (index) => index)
        )
        const found = yield* (yield* ContactStore).find(accountId, { ids: [], externalIds: [], emails })
        expect(found).toHaveLength(3)
        const idOf = new Map(found.map((contact) => [contact.email, contact.id]))
        heard.forEach(({ accountId: of, contactId, name, occurredAt, source }, index) => {
          expect([of, contactId, name, occurredAt, source]).toEqual([
            accountId,
            idOf.get(emails[index % 3]!),
            "user.did",
            start - index,
            "Api"
          ])
        })
        expect((yield* events.list(accountId, { ...any, status: ["Processed"] }, firstPage)).totalCount).toBe(
          1300
        )
        const depth = (yield* (yield* JobQueue).depth).find((entry) => entry.queue === "events")
        expect(depth).toMatchObject({ pending: 0, buried: 0 })
      })
    )
  )

  it.effect("fails invalid events alone, without dispatching them", () =>
    inMemory(
      Effect.gen(function* () {
        const heard: Array<string> = []
        const { events, worker } = yield* makeEventNode((contactEvents) =>
          Effect.sync(() => {
            heard.push(...contactEvents.map((contactEvent) => contactEvent.name))
          })
        )
        const accountId = yield* freshAccountId
        yield* events.accept(accountId, [
          event({ email: newEmail() }, { name: "a" }),
          event({ externalId: "nobody" }, { name: "b" }),
          event({ email: newEmail() }, { name: "c" })
        ])
        yield* worker.drain
        expect(heard).toEqual(["a", "c"])
        const { items } = yield* events.list(accountId, any, firstPage)
        expect(items.map(({ failure, name, status }) => [name, status, failure])).toEqual([
          ["c", "Processed", null],
          ["b", "Failed", "audience.contact_email_required"],
          ["a", "Processed", null]
        ])
      })
    )
  )

  it.effect("retries events that break flows, then fails them, and processes the other events", () =>
    inMemory(
      Effect.gen(function* () {
        const { events, worker } = yield* makeEventNode((contactEvents) =>
          contactEvents.some((contactEvent) => contactEvent.name === "breaks")
            ? Effect.die(new Error("broken"))
            : Effect.void
        )
        const accountId = yield* freshAccountId
        const other = yield* freshAccountId
        const named = (name: string) => event({ email: "ada@example.org" }, { name })
        yield* events.accept(accountId, ["first", "breaks", "last", "breaks"].map(named))
        yield* events.accept(other, [named("elsewhere")])
        const statuses = Effect.map(events.list(accountId, any, firstPage), ({ items }) =>
          items.map(({ name, status }) => `${name} ${status}`).toReversed()
        )
        yield* worker.drain
        expect(yield* statuses).toEqual([
          "first Processed",
          "breaks Accepted",
          "last Accepted",
          "breaks Accepted"
        ])
        expect((yield* events.list(other, any, firstPage)).items[0]!.status).toBe("Processed")
        for (let round = 0; round < 12; round++) {
          yield* TestClock.adjust("1 hour")
          yield* worker.drain
        }
        expect(yield* statuses).toEqual([
          "first Processed",
          "breaks Failed",
          "last Processed",
          "breaks Failed"
        ])
        expect(
          (yield* events.list(accountId, { ...any, status: ["Failed"] }, firstPage)).items[0]!.failure
        ).toBe("common.internal")
      })
    )
  )
})

describe("ContactEvents", () => {
  it.effect("dispatches each event once, and none of unknown contacts", () =>
    inMemory(
      Effect.gen(function* () {
        const heard: Array<string> = []
        const { contacts, contactEvents } = yield* makeEventNode((found) =>
          Effect.sync(() => {
            heard.push(...found.map((contactEvent) => contactEvent.id))
          })
        )
        const { run } = yield* Transaction
        const [accountId, other] = [yield* freshAccountId, yield* freshAccountId]
        const eventOf = Effect.fnUntraced(function* (account: string, contactId?: string) {
          const written = contactId ?? (yield* contacts.write(account, { email: newEmail() })).contact.id
          const contactEvent: ContactEvent = {
            accountId: account,
            contactId: written,
            id: newId(),
            name: "order.paid",
            properties: {},
            occurredAt: now,
            source: "Store"
          }
          return contactEvent
        })
        const [first, elsewhere, unknown] = [
          yield* eventOf(accountId),
          yield* eventOf(other),
          yield* eventOf(accountId, newId())
        ]
        yield* run(contactEvents.record([first, elsewhere, unknown, first]))
        yield* run(contactEvents.record([elsewhere, first, unknown]))
        yield* run(contactEvents.record([]))
        expect(heard).toEqual([first.id, elsewhere.id])
        expect((yield* (yield* TimelineStore).list(other, elsewhere.contactId, firstPage)).items).toEqual([
          {
            id: elsewhere.id,
            contactId: elsewhere.contactId,
            name: "order.paid",
            properties: {},
            occurredAt: now,
            source: "Store"
          }
        ])
      })
    )
  )

  it.effect("dispatches contact.subscribed once when consent becomes Subscribed", () =>
    inMemory(
      Effect.gen(function* () {
        const heard: Array<ContactEvent> = []
        const { contacts } = yield* makeEventNode((found) =>
          Effect.sync(() => {
            heard.push(...found)
          })
        )
        const accountId = yield* freshAccountId
        const consent = { basis: "Subscribed", proof: { text: "Yes" } }
        const { contact } = yield* contacts.write(accountId, { email: "ada@example.org", consent })
        yield* contacts.write(accountId, { email: "ada@example.org", consent })
        expect(heard).toMatchObject([
          {
            accountId,
            contactId: contact.id,
            name: "contact.subscribed",
            occurredAt: start,
            source: "Service"
          }
        ])
        yield* contacts.write(accountId, { email: "ada@example.org", consent: { basis: "Unsubscribed" } })
        yield* contacts.write(accountId, { email: "ada@example.org", consent })
        expect(heard).toHaveLength(2)
      })
    )
  )

  it.effect("rolls back the contact's change when dispatching fails", () =>
    inMemory(
      Effect.gen(function* () {
        const { contacts } = yield* makeEventNode(() => Effect.die(new Error("broken")))
        const accountId = yield* freshAccountId
        const consent = { basis: "Subscribed", proof: { text: "Yes" } }
        const exit = yield* Effect.exit(contacts.write(accountId, { email: "ada@example.org", consent }))
        expect(exit._tag).toBe("Failure")
        expect(yield* (yield* ContactStore).count(accountId)).toBe(0)
        expect(
          (yield* (yield* makeEventNode(none)).contacts.write(accountId, { email: "ada@example.org" }))
            .created
        ).toBe(true)
      })
    )
  )
})
