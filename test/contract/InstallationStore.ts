/**
 * The contract of `core/ports/InstallationStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { InstallationStore } from "../../core/ports/InstallationStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  newHash,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = Effect.gen(function* () {
  return {
    sandboxAccountId: yield* freshAccountId,
    managementTokenHash: newHash(),
    linkSecret: newHash(),
    announced: false
  }
})

/** Tests of the port `InstallationStore`. The store has one record for good, so they follow each other. */
export const installationStoreContract = (it: StorageTest): void => {
  describe("InstallationStore", () => {
    it.effect("leaves the record as it was when an insert is rolled back", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const { run } = yield* Transaction
        const before = yield* store.get
        yield* Effect.exit(run(Effect.andThen(store.insert(yield* draft), Effect.fail("rejected" as const))))
        expect(yield* store.get).toEqual(before)
      })
    )

    it.effect("accepts the first of many concurrent records, and rejects the others", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const before = yield* store.get
        const drafts = yield* Effect.all(times(10, () => draft))
        const exits = yield* atOnce(drafts.map((one) => Effect.as(store.insert(one), one)))
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toHaveLength(before === null ? 1 : 0)
        expect(yield* store.get).toEqual(before ?? successes(exits)[0])
        yield* expectFailure(store.insert(drafts[0]!), "WriteConflict")
      })
    )

    it.effect("replaces only the record with the given token", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const before = (yield* store.get)!.managementTokenHash
        const next = { ...(yield* draft), announced: true }
        yield* store.save(next, before)
        expect(yield* store.get).toEqual(next)
        yield* expectFailure(store.save(yield* draft, before), "WriteConflict")
        expect(yield* store.get).toEqual(next)
        const drafts = yield* Effect.all(times(10, () => draft))
        const exits = yield* atOnce(
          drafts.map((one) => Effect.as(store.save(one, next.managementTokenHash), one))
        )
        expectOnlyFailures(exits, "WriteConflict")
        expect(successes(exits)).toEqual([yield* store.get])
      })
    )

    it.effect("keeps the first secret check, whatever else is saved", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const { run } = yield* Transaction
        const earlier = yield* Effect.flip(
          run(Effect.flatMap(store.secretCheck("rolled back"), (kept) => Effect.fail(kept)))
        )
        const kept = yield* Effect.all(
          times(10, () => store.secretCheck(newHash())),
          { concurrency: "unbounded" }
        )
        expect(new Set(kept).size).toBe(1)
        if (earlier !== "rolled back") expect(kept[0]).toBe(earlier)
        yield* store.save({ ...(yield* draft), announced: true }, (yield* store.get)!.managementTokenHash)
        expect(yield* store.secretCheck("later")).toBe(kept[0])
      })
    )
  })
}
