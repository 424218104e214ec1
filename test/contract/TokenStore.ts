/**
 * The contract of `core/ports/TokenStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import { installationOwner, isActiveToken, type Token } from "../../core/model/Token.ts"
import { TokenStore } from "../../core/ports/TokenStore.ts"
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

const draft = (values: Partial<Token> = {}): Token => ({
  id: newId(),
  name: "Prometheus",
  hash: newHash(),
  display: "svc_ops_abcd...wxyz",
  rights: ["metrics:read"],
  accounts: null,
  companyId: null,
  userId: null,
  expiresAt: null,
  lastUsedAt: null,
  lastUsedNetwork: null,
  revokedAt: null,
  createdAt: now,
  ...values
})

const many = 10_000

/** Tests of the port `TokenStore`. */
export const tokenStoreContract = (it: StorageTest): void => {
  describe("TokenStore", () => {
    it.effect("finds tokens by their hash, as they were added", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const token = draft({ name: oddText, expiresAt: now + minute })
        yield* store.insert(token, many)
        expect(yield* store.find(token.hash)).toEqual(token)
        expect(yield* store.find(newHash())).toBeNull()
      })
    )

    it.effect("lists all tokens, newest first, with the exact total", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const { totalCount } = yield* store.list(installationOwner, { page: 1, pageSize: 1 })
        const added = times(5, (index) => draft({ createdAt: now + 1_000_000 + index, revokedAt: now }))
        for (const token of added) yield* store.insert(token, many)
        const page = yield* store.list(installationOwner, { page: 1, pageSize: 5 })
        expect(page.items).toEqual(added.toReversed())
        expect(page.totalCount).toBe(totalCount + 5)
        for (const { id } of added) yield* store.revoke(installationOwner, id, now)
      })
    )

    it.effect("revokes a token once, and none that is unknown", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const token = draft()
        yield* store.insert(token, many)
        const revoked = { ...token, revokedAt: now + 1 }
        expect(yield* store.revoke(installationOwner, token.id, now + 1)).toEqual(revoked)
        expect(yield* store.revoke(installationOwner, token.id, now + 2)).toEqual(revoked)
        expect(yield* store.find(token.hash)).toEqual(revoked)
        expect(yield* store.revoke(installationOwner, newId(), now)).toBeNull()
      })
    )

    it.effect("keeps the tokens of the installation, of each company and of each user apart", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const owners = [
          { companyId: newId(), userId: null },
          { companyId: newId(), userId: null },
          { companyId: null, userId: newId() }
        ]
        const tokens = owners.map((owner) =>
          draft({ ...owner, accounts: owner.companyId === null ? null : "Sandbox", rights: null })
        )
        for (const token of tokens) yield* store.insert(token, 1)
        for (const [index, owner] of owners.entries()) {
          const { items, totalCount } = yield* store.list(owner, { page: 1, pageSize: 10 })
          expect([items, totalCount]).toEqual([[tokens[index]], 1])
          const strange = tokens[(index + 1) % tokens.length]!
          expect(yield* store.revoke(owner, strange.id, now)).toBeNull()
          expect(yield* store.revoke(installationOwner, strange.id, now)).toBeNull()
          yield* expectFailure(store.insert(draft(owner), 1), "WriteConflict")
        }
      })
    )

    it.effect("revokes all tokens of an owner, and no other's", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
        const [owner, other] = [newId(), newId()].map((userId) => ({ companyId: null, userId }))
        const [first, second] = [draft({ ...owner, revokedAt: now }), draft(owner!)]
        const others = draft(other!)
        for (const token of [first, second, others]) yield* store.insert(token, many)
        yield* store.revokeAll(owner!, now + minute)
        expect(yield* store.find(first.hash)).toEqual(first)
        expect(yield* store.find(second.hash)).toEqual({ ...second, revokedAt: now + minute })
        expect(yield* store.find(others.hash)).toEqual(others)
      })
    )

    it.effect("records the last use", () =>
      Effect.gen(function* () {
        const store = yield* TokenStore
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
          const store = yield* TokenStore
          const at = now + 10 * minute
          const { items } = yield* store.list(installationOwner, { page: 1, pageSize: 200 })
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
