/**
 * Tests that a batch of contacts or items takes a fixed number of statements, counted as spans of the SQL client.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { expect } from "vitest"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import { layerEmbedded } from "../../../adapters/postgres/index.ts"
import { AuditTrail } from "../../../core/accounts/AuditTrail.ts"
import { SuppressedAddresses } from "../../../core/audience/contacts/SuppressedAddresses.ts"
import { AddressHash } from "../../../core/audience/contacts/AddressHash.ts"
import { Contacts } from "../../../core/audience/contacts/Contacts.ts"
import { ownItems } from "../../../core/model/Item.ts"
import { Items } from "../../../core/catalog/Items.ts"
import { JobQueue } from "../../../core/ports/JobQueue.ts"
import { TopicStore } from "../../../core/ports/TopicStore.ts"
import { Ids } from "../../../core/kernel/Ids.ts"
import { freshAccount, newId, now, times, unique } from "../../contract/fixtures.ts"
import { contactEventsWithoutFlows } from "../../support/contactEvents.ts"
import { type Recorded, recording } from "../../support/partitionPlans.ts"
import { statementsOf } from "../../support/statements.ts"
import { installationKeys } from "../../support/keys.ts"

const useCases = Layer.mergeAll(Contacts.layer, Items.layer).pipe(
  Layer.provide(SuppressedAddresses.layer),
  Layer.provide(AddressHash.layer),
  Layer.provide(installationKeys(new Uint8Array(32))),
  Layer.provide(contactEventsWithoutFlows),
  Layer.provide(AuditTrail.layer),
  Layer.provideMerge(Ids.layer),
  Layer.provide(Crypto.layer),
  Layer.provideMerge(layerEmbedded(null))
)

layer(useCases, { excludeTestServices: true })("a batch", (it) => {
  it.effect(
    "of contacts takes as many statements for one as for a thousand: new, changed, the same, with new fields",
    () =>
      Effect.gen(function* () {
        const { writeMany } = yield* Contacts
        const { id: accountId } = yield* freshAccount({ autoCreateAttributes: true, contactLimit: 1_000_000 })
        const topics = yield* TopicStore
        yield* topics.insert({
          id: newId(),
          accountId,
          key: "news",
          name: "News",
          description: null,
          defaultOn: true,
          isArchived: false,
          createdAt: now
        })
        const countsOf = Effect.fnUntraced(function* (size: number) {
          const people = times(size, () => ({ email: `${unique("person")}@example.com` }))
          const counts: Array<number> = []
          for (const [key, firstName] of [
            [unique("key").replaceAll("-", "_"), "Ada"],
            ["plan", "Bo"],
            ["plan", "Bo"]
          ] as const) {
            const writes = people.map((person) =>
              Result.succeed({
                ...person,
                firstName,
                attributes: { [key]: firstName },
                topics: { news: true },
                consent: { basis: "Subscribed", proof: { text: firstName } }
              })
            )
            counts.push(
              yield* statementsOf(
                Effect.tap(writeMany(accountId, writes, "Api"), (results) =>
                  Effect.sync(() => expect(results.every(Result.isSuccess)).toBe(true))
                )
              )
            )
          }
          return counts
        })
        yield* countsOf(2)
        const counts = yield* countsOf(1)
        expect(yield* countsOf(1000)).toEqual(counts)
        expect(Math.max(...counts)).toBeLessThan(13)
        expect(Math.min(...counts)).toBeGreaterThan(2)
      })
  )

  it.effect("of contacts whose addresses move between them takes as many statements as one", () =>
    Effect.gen(function* () {
      const { writeMany } = yield* Contacts
      const { id: accountId } = yield* freshAccount()
      const swap = Effect.fnUntraced(function* (pairs: number) {
        const people = times(2 * pairs, () => ({ email: `${unique("person")}@example.com` }))
        const ids = (yield* writeMany(accountId, people.map(Result.succeed), "Api")).map(
          (result) => Result.getOrThrow(result).contact.id
        )
        // In each pair, the second contact gets a new address and the first gets the second one's old address.
        const writes = times(pairs, (index) => [
          { id: ids[2 * index + 1]!, email: `${unique("moved")}@example.com` },
          { id: ids[2 * index]!, email: people[2 * index + 1]!.email }
        ]).flat()
        return yield* statementsOf(
          Effect.tap(writeMany(accountId, writes.map(Result.succeed), "Api"), (results) =>
            Effect.sync(() => {
              const emails = results.map((result) => Result.getOrThrow(result).contact.email)
              expect(emails).toEqual(writes.map((write) => write.email))
            })
          )
        )
      })
      expect(yield* swap(400)).toBe(yield* swap(1))
    })
  )

  it.effect("of items takes as many statements for one as for a thousand: new, changed, both, the same", () =>
    Effect.gen(function* () {
      const { writeMany } = yield* Items
      const { id: accountId } = yield* freshAccount()
      const countsOf = Effect.fnUntraced(function* (size: number) {
        const ids = times(2 * size, () => unique("item"))
        const counts: Array<number> = []
        for (const [from, to, price] of [
          [0, size, 1],
          [0, size, 2],
          [0, 2 * size, 3],
          [0, 2 * size, 3]
        ] as const) {
          const writes = ids.slice(from, to).map((id) => ({ id, name: id, price, currency: "EUR" }))
          counts.push(
            yield* statementsOf(
              Effect.tap(writeMany(accountId, ownItems, writes.map(Result.succeed)), (results) =>
                Effect.sync(() => expect(results.every(Result.isSuccess)).toBe(true))
              )
            )
          )
        }
        return counts
      })
      yield* countsOf(2)
      const counts = yield* countsOf(1)
      expect(yield* countsOf(500)).toEqual(counts)
      expect(counts).toEqual([3, 3, 3, 2])
    })
  )

  it.effect("of jobs is claimed by one of few statements, whatever there is room for", () =>
    Effect.gen(function* () {
      const queue = yield* JobQueue
      const recorded: Recorded = new Map()
      yield* Effect.forEach(
        times(250, (index) => index + 1),
        (limit) => queue.claim({ queue: "deliveries", limit, lease: 30_000, now })
      ).pipe(Effect.provide(recording(recorded, /update jobs set leased/)))
      expect(recorded.size).toBe(4)
    })
  )
})
