/**
 * The contract of `core/ports/InstallationTokenStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { type InstallationToken, isActiveToken } from "../../core/model/InstallationToken.ts"
import { InstallationTokenStore } from "../../core/ports/InstallationTokenStore.ts"
import {
  atOnce,
  expectFailure,
  expectOnlyFailures,
  minute,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

const draft = (values: Partial<InstallationToken> = {}): InstallationToken => ({
  id: newId(),
  name: "Prometheus",
  hash: newHash(),
  display: "svc_ops_abcd...wxyz",
  rights: ["metrics:read"],
  expiresAt: null,
  lastUsedAt: null,
  lastUsedNetwork: null,
  revokedAt: null,
  createdAt: now,
  ...values
})

const many = 10_000

/** Tests of the port `InstallationTokenStore`. */
export const installationTokenStoreContract = (it: StorageTest): void => {
  describe("InstallationTokenStore", () => {
    it.effect("finds tokens by their hash, as they were added", () =>
      Effect.gen(function* () {
        const store = yield* InstallationTokenStore
        const token = draft({ name: oddText, expiresAt: now + minute })
        yield* store.insert(token, many)
        expect(yield* store.find(token.hash)).toEqual(token)
        expect(yield* store.find(newHash())).toBeNull()
      })
    )

    it.effect("lists all tokens, newest first, with the exact total", () =>
      Effect.gen(function* () {
        const store = yield* InstallationTokenStore
        const { totalCount } = yield* store.list({ page: 1, pageSize: 1 })
        const added = times(5, (index) => draft({ createdAt: now + 1_000_000 + index, revokedAt: now }))
        for (const token of added) yield* store.insert(token, many)
        const page = yield* store.list({ page: 1, pageSize: 5 })
        expect(page.items).toEqual(added.toReversed())
        expect(page.totalCount).toBe(totalCount + 5)
        for (const { id } of added) yield* store.revoke(id, now)
      })
    )

    it.effect("revokes a token once, and none that is unknown", () =>
      Effect.gen(function* () {
        const store = yield* InstallationTokenStore
        const token = draft()
        yield* store.insert(token, many)
        const revoked = { ...token, revokedAt: now + 1 }
        expect(yield* store.revoke(token.id, now + 1)).toEqual(revoked)
        expect(yield* store.revoke(token.id, now + 2)).toEqual(revoked)
        expect(yield* store.find(token.hash)).toEqual(revoked)
        expect(yield* store.revoke(newId(), now)).toBeNull()
      })
    )

    it.effect("records the last use", () =>
      Effect.gen(function* () {
        const store = yield* InstallationTokenStore
        const token = draft()
        yield* store.insert(token, many)
        yield* store.touch(token.id, now + minute, "2001:db8::/64")
        const used = { ...token, lastUsedAt: now + minute, lastUsedNetwork: "2001:db8::/64" }
        expect(yield* store.find(token.hash)).toEqual(used)
        yield* store.touch(newId(), now, "192.0.2.1")
      })
    )

    it.effect(
      "bounds the active tokens, also of concurrent inserts, and counts no revoked or expired ones",
      () =>
        Effect.gen(function* () {
          const store = yield* InstallationTokenStore
          const at = now + 10 * minute
          const { items } = yield* store.list({ page: 1, pageSize: 200 })
          const active = items.filter((token) => isActiveToken(token, at)).length
          yield* store.insert(draft({ createdAt: at, revokedAt: at }), active)
          yield* store.insert(draft({ createdAt: at, expiresAt: at }), active)
          const exits = yield* atOnce(times(8, () => store.insert(draft({ createdAt: at }), active + 3)))
          expectOnlyFailures(exits, "WriteConflict")
          expect(successes(exits)).toHaveLength(3)
          const rejected = draft({ createdAt: at })
          yield* expectFailure(store.insert(rejected, active + 3), "WriteConflict")
          expect(yield* store.find(rejected.hash)).toBeNull()
        })
    )
  })
}
