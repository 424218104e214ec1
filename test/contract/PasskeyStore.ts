/**
 * The contract of `core/ports/PasskeyStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Passkey } from "../../core/model/Passkey.ts"
import { PasskeyStore } from "../../core/ports/PasskeyStore.ts"
import { atOnce, expectFailure, newHash, newId, now, type StorageTest, successes, times } from "./fixtures.ts"

const draft = (values: Partial<Passkey> = {}): Passkey => ({
  id: newId(),
  userId: newId(),
  credentialId: newHash(),
  publicKey: "pQECAyYg",
  counter: 0,
  transports: ["internal", "hybrid"],
  name: "A phone",
  lastUsedAt: null,
  createdAt: now,
  ...values
})

/** Tests of the port `PasskeyStore`. */
export const passkeyStoreContract = (it: StorageTest): void => {
  describe("PasskeyStore", () => {
    it.effect("finds passkeys by their credentials, each of which is stored once", () =>
      Effect.gen(function* () {
        const store = yield* PasskeyStore
        const passkey = draft({ counter: 4_294_967_295, lastUsedAt: now })
        yield* store.insert(passkey)
        expect(yield* store.findCredential(passkey.credentialId)).toEqual(passkey)
        expect(yield* store.findCredential(newHash())).toBeNull()
        const conflict = yield* expectFailure(
          store.insert(draft({ credentialId: passkey.credentialId })),
          "WriteConflict"
        )
        expect(conflict.constraint).toBe("passkeys_credential")
      })
    )

    it.effect("lists, names and removes the passkeys of a user, and no other's", () =>
      Effect.gen(function* () {
        const store = yield* PasskeyStore
        const userId = newId()
        const [older, newer] = [draft({ userId }), draft({ userId, createdAt: now + 1 })]
        for (const passkey of [newer, older, draft()]) yield* store.insert(passkey)
        expect(yield* store.list(userId)).toEqual([newer, older])
        expect(yield* store.rename(newId(), older.id, "x")).toBeNull()
        expect(yield* store.rename(userId, older.id, "A key")).toEqual({ ...older, name: "A key" })
        expect(yield* store.remove(newId(), newer.id)).toBeNull()
        expect(yield* store.remove(userId, newer.id)).toEqual(newer)
        expect(yield* store.remove(userId, newer.id)).toBeNull()
        expect((yield* store.list(userId)).map(({ name }) => name)).toEqual(["A key"])
      })
    )

    it.effect("accepts a count once, and no smaller one", () =>
      Effect.gen(function* () {
        const store = yield* PasskeyStore
        const passkey = draft()
        yield* store.insert(passkey)
        const { id } = passkey
        // An authenticator without a signature counter.
        expect([yield* store.use(id, 0, now), yield* store.use(id, 0, now + 1)]).toEqual([true, true])
        const uses = yield* atOnce(times(5, () => store.use(id, 7, now + 2)))
        expect(successes(uses).filter(Boolean)).toHaveLength(1)
        expect([yield* store.use(id, 6, now + 3), yield* store.use(id, 0, now + 3)]).toEqual([false, false])
        expect(yield* store.use(newId(), 9, now)).toBe(false)
        const stored = yield* store.findCredential(passkey.credentialId)
        expect(stored).toEqual({ ...passkey, counter: 7, lastUsedAt: now + 2 })
      })
    )
  })
}
