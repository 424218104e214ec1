/**
 * The contract of `core/ports/InstallationStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type InstallationSecret, InstallationStore } from "../../core/ports/InstallationStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  freshAccountId,
  newHash,
  now,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = Effect.gen(function* () {
  return {
    sandboxAccountId: yield* freshAccountId,
    managementTokenHash: newHash(),
    announced: false
  }
})

/**
 * Tests of the port `InstallationStore`. The storage has only one record, which is never removed, so the tests build on each
 * other.
 */
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
        expect(yield* store.getSecretCheck).toBe(kept[0])
      })
    )

    it.effect("replaces the secret check", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const { run } = yield* Transaction
        const before = yield* store.secretCheck("first")
        yield* Effect.exit(
          run(Effect.andThen(store.replaceSecretCheck("x"), Effect.fail("rejected" as const)))
        )
        expect(yield* store.getSecretCheck).toBe(before)
        yield* store.replaceSecretCheck("replaced")
        expect(yield* store.getSecretCheck).toBe("replaced")
        expect(yield* store.secretCheck("later")).toBe("replaced")
      })
    )

    it.effect("lists its secrets newest first, and replaces and removes them by id", () =>
      Effect.gen(function* () {
        const store = yield* InstallationStore
        const { run } = yield* Transaction
        yield* store.removeSecrets((yield* store.secrets).map(({ id }) => id))
        const secret = (id: string, createdAt: number): InstallationSecret => ({
          id,
          use: "Signing",
          sealed: `sealed ${id}`,
          createdAt,
          acceptedUntil: null
        })
        const hashing = { ...secret("addresses", now), use: "Hashing" as const }
        yield* store.saveSecrets([secret("001", now), secret("003", now + 2), hashing])
        yield* store.saveSecrets([secret("002", now + 1)])
        const ids = Effect.map(store.secrets, (secrets) => secrets.map(({ id }) => id))
        expect(yield* ids).toEqual(["003", "002", "addresses", "001"])
        expect((yield* store.secrets)[2]).toEqual(hashing)

        const replaced = { ...secret("002", now + 1), sealed: "again", acceptedUntil: now + 5 }
        const rolledBack = run(
          store
            .saveSecrets([replaced])
            .pipe(
              Effect.andThen(store.removeSecrets(["001"])),
              Effect.andThen(Effect.fail("rejected" as const))
            )
        )
        yield* Effect.exit(rolledBack)
        expect((yield* store.secrets)[1]).toEqual(secret("002", now + 1))
        yield* run(
          store.lock.pipe(
            Effect.andThen(store.saveSecrets([replaced])),
            Effect.andThen(store.removeSecrets(["001", "unknown"]))
          )
        )
        expect(yield* ids).toEqual(["003", "002", "addresses"])
        expect((yield* store.secrets)[1]).toEqual(replaced)
      })
    )

    it.effect("accepts no short management token where no earlier version set it up", () =>
      Effect.gen(function* () {
        expect(yield* (yield* InstallationStore).shortTokenUntil).toBeNull()
        expect(yield* (yield* InstallationStore).takeUsersNotice).toBe(false)
      })
    )

    it.effect("has no secret in clear", () =>
      Effect.gen(function* () {
        expect(yield* (yield* InstallationStore).takePlainSecret).toBeNull()
      })
    )
  })
}
