/**
 * The contract of `core/ports/ContactStore`: locking contacts for a transaction.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  changed,
  changes,
  draftContact,
  endsWithin,
  expectFailure,
  freshAccountId,
  keys,
  newEmail,
  newId,
  type StorageTest,
  successes,
  times,
  unique
} from "./fixtures.ts"

/** Tests `lock` and `holdInserts` of the port `ContactStore`. */
export const contactLockContract = (it: StorageTest): void => {
  describe("ContactStore: locked contacts", () => {
    it.effect(
      "are written by others only after the transaction, by whichever identity they were locked",
      () =>
        Effect.gen(function* () {
          const store = yield* ContactStore
          const { run } = yield* Transaction
          const accountId = yield* freshAccountId
          const contact = draftContact({ externalId: unique("user") })
          yield* store.write(accountId, changes({ inserts: [contact] }))
          let current = contact
          for (const given of [
            { ids: [contact.id] },
            { externalIds: [contact.externalId!] },
            { emails: [contact.email!] }
          ]) {
            const holding = yield* Deferred.make<void>()
            const release = yield* Deferred.make<void>()
            const mine = changed(current, { city: "Paris" })
            const holder = yield* Effect.forkChild(
              run(
                Effect.gen(function* () {
                  yield* store.lock(accountId, keys(given))
                  yield* Deferred.succeed(holding, undefined)
                  yield* Deferred.await(release)
                  yield* store.write(accountId, changes({ updates: [mine] }))
                })
              )
            )
            yield* Deferred.await(holding)
            const theirs = yield* Effect.forkChild(
              Effect.exit(store.write(accountId, changes({ updates: [changed(current, { city: "Rome" })] })))
            )
            expect(yield* endsWithin(Fiber.await(theirs), 50)).toBe(false)
            yield* Deferred.succeed(release, undefined)
            // The write of the transaction that locked first succeeds; the one that waited is stale.
            yield* Fiber.join(holder)
            yield* expectFailure(Effect.flatten(Fiber.join(theirs)), "WriteConflict")
            const [stored] = yield* store.find(accountId, keys(given))
            expect(stored).toEqual(mine)
            current = mine
          }
        })
    )

    it.effect("are not added by another writer while inserts are held, in this account only", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const { run } = yield* Transaction
        const [accountId, otherId] = [yield* freshAccountId, yield* freshAccountId]
        const add = (id: string, email: string) =>
          store.write(id, changes({ inserts: [draftContact({ email })] }))
        const [email, newer] = [newEmail(), newEmail()]
        const holding = yield* Deferred.make<void>()
        const release = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          run(
            Effect.gen(function* () {
              yield* store.holdInserts(accountId)
              yield* Deferred.succeed(holding, undefined)
              yield* Deferred.await(release)
              yield* add(accountId, email)
            })
          )
        )
        yield* Deferred.await(holding)
        const same = yield* Effect.forkChild(Effect.exit(add(accountId, email)))
        const another = yield* Effect.forkChild(add(accountId, newer))
        const elsewhere = yield* Effect.forkChild(add(otherId, email))
        expect(yield* endsWithin(Fiber.await(same), 50)).toBe(false)
        expect(yield* endsWithin(Fiber.await(another), 50)).toBe(false)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        yield* Fiber.join(another)
        yield* Fiber.join(elsewhere)
        yield* expectFailure(Effect.flatten(Fiber.join(same)), "WriteConflict")
        expect(yield* store.count(accountId)).toBe(2)
      })
    )

    it.effect("need not exist: an unknown identity locks nothing", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        yield* run(store.lock(accountId, keys({})))
        yield* run(
          store.lock(accountId, keys({ ids: [newId()], externalIds: [unique("user")], emails: [newEmail()] }))
        )
      })
    )

    it.effect("are locked by many transactions in any order, and each then writes them", () =>
      Effect.gen(function* () {
        const store = yield* ContactStore
        const { run } = yield* Transaction
        const accountId = yield* freshAccountId
        const people = times(20, () => draftContact())
        yield* store.write(accountId, changes({ inserts: people }))
        const ids = people.map((contact) => contact.id)
        const writers = times(10, (index) =>
          run(
            Effect.gen(function* () {
              const given =
                index % 2 === 0
                  ? keys({ ids })
                  : keys({ emails: people.map((contact) => contact.email!).toReversed() })
              yield* store.lock(accountId, given)
              const found = yield* store.find(accountId, given)
              yield* store.write(
                accountId,
                changes({ updates: found.map((contact) => changed(contact, { city: `City ${index}` })) })
              )
            })
          )
        )
        expect(successes(yield* atOnce(writers))).toHaveLength(10)
        const found = yield* store.find(accountId, keys({ ids }))
        expect(new Set(found.map((contact) => contact.version))).toEqual(new Set([11]))
      })
    )
  })
}
