/**
 * Tests that all statements lock contacts in the same order, so that no two of them deadlock.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Redacted } from "effect"
import { expect } from "vitest"
import { layerServer } from "../../../adapters/postgres/index.ts"
import { ContactStore } from "../../../core/ports/ContactStore.ts"
import { Transaction } from "../../../core/ports/Transaction.ts"
import { changes, draftContact, freshAccountId, keys, newId, now } from "../../contract/fixtures.ts"
import { eventually } from "../../support/client.ts"
import { freshDatabase, isWaiting, query } from "../../support/postgres.ts"

let url = ""

const stores = Layer.unwrap(
  Effect.map(
    Effect.promise(async () => (url = await freshDatabase())),
    (fresh) => layerServer(Redacted.make(fresh))
  )
)

layer(stores, { excludeTestServices: true })("contacts", (it) => {
  it.effect("are locked by their ids where they are found by address", () =>
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const transaction = yield* Transaction
      const accountId = yield* freshAccountId
      const [first = "", second = ""] = [newId(), newId()].toSorted()
      yield* contacts.write(
        accountId,
        changes({
          inserts: [
            draftContact({ id: first, email: "z@example.org" }),
            draftContact({ id: second, email: "a@example.org" })
          ]
        })
      )
      const [held, over] = [yield* Latch.make(), yield* Latch.make()]
      const holder = yield* Effect.forkChild(
        transaction.run(
          contacts
            .lock(accountId, keys({ ids: [first] }))
            .pipe(Effect.andThen(held.open), Effect.andThen(over.await))
        )
      )
      yield* held.await
      const touched = yield* Effect.forkChild(
        contacts.touch(
          accountId,
          ["a@example.org", "z@example.org"].map((email) => ({ email, field: "lastOpenAt", at: now + 1 }))
        )
      )
      const waits = yield* Effect.promise(() =>
        eventually(
          () => isWaiting(url),
          (met) => met
        )
      )
      expect(waits).toBe(true)
      const free = `select id from contacts where id = '${second}' for update nowait`
      expect(yield* Effect.promise(() => query(url, free))).toEqual([{ id: second }])
      yield* over.open
      yield* Fiber.join(holder)
      yield* Fiber.join(touched)
      const found = yield* contacts.find(accountId, keys({ ids: [first, second] }))
      expect(found.map(({ lastOpenAt }) => lastOpenAt)).toEqual([now + 1, now + 1])
    })
  )
})
