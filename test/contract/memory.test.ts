/**
 * Tests the contract of every storage port with the memory adapter.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../adapters/memory/index.ts"
import { ContactStore } from "../../core/ports/ContactStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import { changes, draftContact, expectFailure, freshAccountId } from "./fixtures.ts"
import { storageContract } from "./index.ts"

storageContract("memory", layer)

describe("the memory adapter", () => {
  it.effect("fails a transaction with the conflict that was caught inside it", () =>
    Effect.gen(function* () {
      const store = yield* ContactStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const contact = draftContact()
      const twin = draftContact({ email: contact.email })
      const written = run(
        Effect.andThen(
          store.write(accountId, changes({ inserts: [contact] })),
          Effect.ignore(store.write(accountId, changes({ inserts: [twin] })))
        )
      )
      yield* expectFailure(written, "WriteConflict")
      expect(yield* store.count(accountId)).toBe(0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("has its own database in each build of the layer", () =>
    Effect.gen(function* () {
      const fill = Effect.gen(function* () {
        const store = yield* ContactStore
        yield* store.write("account", changes({ inserts: [draftContact()] }))
        return yield* store.count("account")
      })
      expect(yield* Effect.provide(fill, layer, { local: true })).toBe(1)
      expect(yield* Effect.provide(fill, layer, { local: true })).toBe(1)
    })
  )
})
