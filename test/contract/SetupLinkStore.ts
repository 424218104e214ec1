/**
 * The contract of `core/ports/SetupLinkStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { SetupLink } from "../../core/model/User.ts"
import { SetupLinkStore } from "../../core/ports/SetupLinkStore.ts"
import { atOnce, newEmail, newHash, newId, now, type StorageTest, successes, times } from "./fixtures.ts"

const draft = (values: Partial<SetupLink> = {}): SetupLink => ({
  hash: newHash(),
  kind: "Invitation",
  userId: newId(),
  email: null,
  companyId: null,
  expiresAt: now + 1000,
  usedAt: null,
  createdAt: now,
  ...values
})

/** Tests of the port `SetupLinkStore`. */
export const setupLinkStoreContract = (it: StorageTest): void => {
  describe("SetupLinkStore", () => {
    it.effect("finds links by their hash, and uses each once", () =>
      Effect.gen(function* () {
        const store = yield* SetupLinkStore
        const link = draft({ kind: "Reset", email: newEmail(), companyId: newId() })
        yield* store.insert(link)
        expect(yield* store.find(link.hash)).toEqual(link)
        expect(yield* store.find(newHash())).toBeNull()
        const uses = yield* atOnce(times(5, () => store.use(link.hash, now + 5)))
        expect(successes(uses).filter(Boolean)).toHaveLength(1)
        expect(yield* store.find(link.hash)).toEqual({ ...link, usedAt: now + 5 })
        expect(yield* store.use(newHash(), now)).toBe(false)
      })
    )

    it.effect("removes the links of a user, also of one company alone, and those of none", () =>
      Effect.gen(function* () {
        const store = yield* SetupLinkStore
        const [one, other, ofNone] = [draft(), draft(), draft({ userId: null })]
        const ofCompany = draft({ userId: one.userId, companyId: newId() })
        const links = [one, other, ofNone, ofCompany]
        for (const link of links) yield* store.insert(link)
        const left = Effect.map(Effect.all(links.map(({ hash }) => store.find(hash))), (found) =>
          found.map((link) => link !== null)
        )
        yield* store.removeOf(one.userId, newId())
        expect(yield* left).toEqual([true, true, true, true])
        yield* store.removeOf(one.userId, ofCompany.companyId)
        expect(yield* left).toEqual([true, true, true, false])
        yield* store.insert(ofCompany)
        yield* store.removeOf(one.userId, null)
        expect(yield* left).toEqual([false, true, true, false])
        yield* store.removeOf(null, null)
        expect(yield* left).toEqual([false, true, false, false])
      })
    )

    it.effect("deletes links that expired before a time", () =>
      Effect.gen(function* () {
        const store = yield* SetupLinkStore
        const longAgo = Date.UTC(1990, 0, 1)
        for (const expiresAt of [longAgo, longAgo + 1, longAgo + 2]) yield* store.insert(draft({ expiresAt }))
        expect(yield* store.prune(longAgo + 2, 1)).toBe(1)
        expect(yield* store.prune(longAgo + 2, 9)).toBe(1)
        expect(yield* store.prune(longAgo + 3, 9)).toBe(1)
      })
    )
  })
}
