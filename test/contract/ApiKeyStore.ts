/**
 * The contract of `core/ports/ApiKeyStore`.
 *
 * @module
 */
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import type { Permission } from "../../core/model/Permission.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { type AdmissionRequest, ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  atOnce,
  draftCompany,
  edited,
  expectFailure,
  expectOnlyFailures,
  freshAccount,
  freshAccountId,
  minute,
  newHash,
  newId,
  now,
  oddText,
  type StorageTest,
  successes,
  times
} from "./fixtures.ts"

/** The start of a rate window. */
const windowStart = now - (now % minute)

const draftKey = (accountId: string, values: Partial<ApiKey> = {}): ApiKey => ({
  id: newId(),
  accountId,
  name: "Server",
  hash: newHash(),
  display: "svc_live_abc...wxyz",
  permissions: ["contacts:read", "contacts:write"],
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  createdAt: now,
  ...values
})

const call = (
  key: ApiKey,
  permission: Permission | null = "contacts:read",
  window: AdmissionRequest["window"] = "api"
): AdmissionRequest => ({ hash: key.hash, permission, window })

/** A stored key of a new account. */
const freshKey = Effect.fnUntraced(function* (values: Partial<ApiKey> = {}) {
  const key = draftKey(yield* freshAccountId, values)
  yield* (yield* ApiKeyStore).insert([key], 10, now)
  return key
})

const storing = (it: StorageTest): void => {
  it.effect("returns keys as they were added, newest first", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      const keys = [
        draftKey(accountId, { name: oddText, createdAt: now + 2, expiresAt: now + 5000 }),
        draftKey(accountId, { permissions: [], createdAt: now + 1, lastUsedAt: windowStart }),
        draftKey(accountId, { revokedAt: now + 7 })
      ]
      yield* store.insert(keys, 10, now)
      expect(yield* store.list(accountId)).toEqual(keys)
      expect(yield* store.list(yield* freshAccountId)).toEqual([])
    })
  )

  it.effect("adds 1,000 keys at once", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      yield* store.insert(
        times(1000, () => draftKey(accountId)),
        1000,
        now
      )
      expect(yield* store.list(accountId)).toHaveLength(1000)
    })
  )

  it.effect("limits the active keys of an account", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      yield* store.insert([draftKey(accountId), draftKey(accountId)], 2, now)
      const conflict = yield* expectFailure(store.insert([draftKey(accountId)], 2, now), "WriteConflict")
      expect(conflict.constraint).toBe("api_keys_active")
      expect(yield* store.list(accountId)).toHaveLength(2)
      yield* store.insert([draftKey(accountId)], 3, now)
      yield* store.insert([draftKey(yield* freshAccountId)], 1, now)
    })
  )

  it.effect("adds none of a batch that exceeds the limit", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      const other = yield* freshAccountId
      const keys = [draftKey(other), draftKey(accountId), draftKey(accountId), draftKey(accountId)]
      yield* expectFailure(store.insert(keys, 2, now), "WriteConflict")
      expect(yield* store.list(accountId)).toEqual([])
      expect(yield* store.list(other)).toEqual([])
    })
  )

  it.effect("does not count revoked and expired keys as active", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      const revoked = draftKey(accountId)
      const expiring = draftKey(accountId, { expiresAt: now + minute })
      yield* store.insert([revoked, expiring], 2, now)
      yield* expectFailure(store.insert([draftKey(accountId)], 2, now), "WriteConflict")
      yield* store.revoke(accountId, revoked.id, now)
      yield* store.insert([draftKey(accountId)], 2, now)
      yield* expectFailure(store.insert([draftKey(accountId)], 2, now + minute - 1), "WriteConflict")
      yield* store.insert([draftKey(accountId)], 2, now + minute)
    })
  )

  it.effect("keeps the limit when keys are added concurrently", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      const exits = yield* atOnce(times(20, () => store.insert([draftKey(accountId)], 5, now)))
      expectOnlyFailures(exits, "WriteConflict")
      const active = (yield* store.list(accountId)).length
      expect(active).toBe(successes(exits).length)
      expect(active).toBeGreaterThan(0)
      expect(active).toBeLessThanOrEqual(5)
      yield* Effect.all(times(5 - active, () => store.insert([draftKey(accountId)], 5, now)))
      yield* expectFailure(store.insert([draftKey(accountId)], 5, now), "WriteConflict")
    })
  )

  it.effect("keeps the limit between concurrent transactions", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { run } = yield* Transaction
      const accountId = yield* freshAccountId
      const add = run(
        Effect.andThen(
          Effect.suspend(() => store.insert([draftKey(accountId)], 3, now)),
          Effect.yieldNow
        )
      )
      const exits = yield* atOnce(times(12, () => add))
      expectOnlyFailures(exits, "WriteConflict")
      const active = (yield* store.list(accountId)).length
      expect(active).toBe(successes(exits).length)
      expect(active).toBeLessThanOrEqual(3)
    })
  )

  it.effect("revokes a key, and keeps the first time", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      const revoked = { ...key, revokedAt: now + 5 }
      expect(yield* store.revoke(key.accountId, key.id, now + 5)).toEqual(revoked)
      expect(yield* store.revoke(key.accountId, key.id, now + 9)).toEqual(revoked)
      expect(yield* store.list(key.accountId)).toEqual([revoked])
    })
  )

  it.effect("revokes only a key of the account", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      expect(yield* store.revoke(yield* freshAccountId, key.id, now)).toBeNull()
      expect(yield* store.revoke(key.accountId, newId(), now)).toBeNull()
      expect(yield* store.list(key.accountId)).toEqual([key])
    })
  )

  it.effect("keeps one time of concurrent revocations", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      yield* atOnce(times(10, (index) => store.revoke(key.accountId, key.id, now + index)))
      const again = yield* store.revoke(key.accountId, key.id, now + 100)
      expect(again!.revokedAt).toBeLessThan(now + 10)
      expect(yield* store.list(key.accountId)).toEqual([again])
    })
  )
}

const admitting = (it: StorageTest): void => {
  it.effect("authenticates no call to an account whose company is deleted, until it is restored", () =>
    Effect.gen(function* () {
      const [store, accounts] = [yield* ApiKeyStore, yield* AccountStore]
      const { company, live, sandbox } = draftCompany()
      yield* accounts.insert([company], [live, sandbox])
      const key = draftKey(live.id)
      yield* store.insert([key], 10, now)
      const isFound = Effect.map(store.authenticate([call(key)], now), ([found]) => found !== null)
      yield* accounts.saveCompany({ ...company, deletedAt: now })
      expect(yield* isFound).toBe(false)
      yield* accounts.saveCompany(company)
      expect(yield* isFound).toBe(true)
    })
  )

  it.effect("authenticates a call by its key's hash", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      expect(yield* store.authenticate([call(key)], now)).toEqual([
        { keyId: key.id, accountId: key.accountId, mode: "Live", permitted: true, limit: 600, count: 1 }
      ])
    })
  )

  it.effect("returns the mode of the key's account", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const { company, live, sandbox } = draftCompany()
      yield* (yield* AccountStore).insert([company], [live, sandbox])
      const key = draftKey(sandbox.id)
      yield* store.insert([key], 10, now)
      expect((yield* store.authenticate([call(key)], now))[0]).toMatchObject({
        accountId: sandbox.id,
        mode: "Sandbox"
      })
    })
  )

  it.effect("reads the limit from the account's current settings", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const account = yield* freshAccount({ rateLimitPerMinute: 7 })
      const key = draftKey(account.id)
      yield* store.insert([key], 10, now)
      expect((yield* store.authenticate([call(key)], now))[0]!.limit).toBe(7)
      yield* (yield* AccountStore).saveSettings(
        account.id,
        { ...account.settings, rateLimitPerMinute: 9 },
        edited
      )
      expect((yield* store.authenticate([call(key)], now))[0]!.limit).toBe(9)
    })
  )

  it.effect("does not find unknown, revoked or expired keys", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      const expiring = yield* freshKey({ expiresAt: now + 10 })
      expect(yield* store.authenticate([call(draftKey(key.accountId)), call(expiring)], now + 10)).toEqual([
        null,
        null
      ])
      expect((yield* store.authenticate([call(expiring)], now + 9))[0]).toMatchObject({ keyId: expiring.id })
      expect((yield* store.authenticate([call(key)], now))[0]).toMatchObject({ keyId: key.id })
      yield* store.revoke(key.accountId, key.id, now)
      expect(yield* store.authenticate([call(key)], now)).toEqual([null])
    })
  )

  it.effect("counts calls in order, also above the limit", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const account = yield* freshAccount({ rateLimitPerMinute: 2 })
      const key = draftKey(account.id)
      yield* store.insert([key], 10, now)
      for (const count of [1, 2, 3, 4]) {
        expect((yield* store.authenticate([call(key)], now))[0]).toMatchObject({ limit: 2, count })
      }
    })
  )

  it.effect("counts each key separately, also in one account", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const first = yield* freshKey()
      const second = draftKey(first.accountId)
      yield* store.insert([second], 10, now)
      yield* store.authenticate([call(first)], now)
      yield* store.authenticate([call(first)], now)
      const [one, other] = yield* store.authenticate([call(first), call(second)], now)
      expect([one!.count, other!.count]).toEqual([3, 1])
    })
  )

  it.effect("counts each minute and each window separately", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      const count = (at: number, window: AdmissionRequest["window"]) =>
        Effect.map(
          store.authenticate([call(key, "contacts:read", window)], at),
          ([admission]) => admission!.count
        )
      expect(yield* count(windowStart, "api")).toBe(1)
      expect(yield* count(windowStart + minute - 1, "api")).toBe(2)
      expect(yield* count(windowStart + minute, "api")).toBe(1)
      expect(yield* count(windowStart, "smtp")).toBe(1)
      expect(yield* count(windowStart + 1, "smtp")).toBe(2)
      expect(yield* count(windowStart + 2, "api")).toBe(3)
    })
  )

  it.effect("gives calls of one key in one batch successive counts, in order", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey()
      const other = yield* freshKey()
      yield* store.authenticate([call(key)], now)
      const unknown = draftKey(key.accountId)
      const admissions = yield* store.authenticate(
        [call(key), call(unknown), call(other), call(key), call(key, "contacts:read", "smtp"), call(key)],
        now
      )
      expect(admissions.map((admission) => admission?.count ?? null)).toEqual([2, null, 1, 3, 1, 4])
      expect(admissions.map((admission) => admission?.keyId ?? null)).toEqual([
        key.id,
        null,
        other.id,
        key.id,
        key.id,
        key.id
      ])
    })
  )

  it.effect("does not count a call without the permission, and returns the count of the window", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey({ permissions: ["emails:send"] })
      expect((yield* store.authenticate([call(key)], now))[0]).toMatchObject({ permitted: false, count: 0 })
      expect((yield* store.authenticate([call(key, "emails:send")], now))[0]).toMatchObject({
        permitted: true,
        count: 1
      })
      expect((yield* store.authenticate([call(key), call(key)], now))[1]).toMatchObject({
        permitted: false,
        count: 1
      })
      expect((yield* store.authenticate([call(key, "emails:send")], now))[0]).toMatchObject({
        permitted: true,
        count: 2
      })
    })
  )

  it.effect("counts a call that needs no permission for every key", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const [key, weak] = [yield* freshKey(), yield* freshKey({ permissions: [] })]
      const found = yield* store.authenticate([call(key, null), call(key), call(weak, null), call(weak)], now)
      expect(found.map((one) => [one?.permitted, one?.count])).toEqual([
        [true, 1],
        [true, 2],
        [true, 1],
        [false, 1]
      ])
    })
  )

  it.effect("authenticates 1,000 calls in one batch", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const accountId = yield* freshAccountId
      const keys = times(100, () => draftKey(accountId))
      yield* store.insert(keys, 100, now)
      const admissions = yield* store.authenticate(
        times(1000, (index) => call(keys[index % 100]!)),
        now
      )
      expect(admissions.map((admission) => admission!.keyId)).toEqual(
        times(1000, (index) => keys[index % 100]!.id)
      )
      expect(admissions.map((admission) => admission!.count)).toEqual(
        times(1000, (index) => Math.floor(index / 100) + 1)
      )
    })
  )

  it.effect("counts every one of many concurrent calls", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const keys = [yield* freshKey(), yield* freshKey()]
      const exits = yield* atOnce(
        times(40, (index) =>
          store.authenticate([call(keys[index % 2]!), call(keys[(index + 1) % 2]!), call(keys[0]!)], now)
        )
      )
      const admissions = successes(exits).flat()
      expect(admissions).toHaveLength(120)
      const counts = (key: ApiKey) =>
        admissions
          .flatMap((admission) => (admission?.keyId === key.id ? [admission.count] : []))
          .toSorted((a, b) => a - b)
      expect(counts(keys[0]!)).toEqual(times(80, (index) => index + 1))
      expect(counts(keys[1]!)).toEqual(times(40, (index) => index + 1))
    })
  )

  it.effect("records when a key was used, to the minute", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey({ createdAt: windowStart - 1 })
      const usedAt = Effect.map(store.list(key.accountId), ([stored]) => stored!.lastUsedAt)
      yield* store.authenticate([call(key)], windowStart + 30_000)
      expect(yield* usedAt).toBe(windowStart)
      yield* store.authenticate([call(key)], windowStart + 59_999)
      expect(yield* usedAt).toBe(windowStart)
      yield* store.authenticate([call(key)], windowStart + 3 * minute)
      expect(yield* usedAt).toBe(windowStart + 3 * minute)
    })
  )

  it.effect("records no use before the key was made", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      const key = yield* freshKey({ createdAt: windowStart + 20_000 })
      yield* store.authenticate([call(key)], windowStart + 30_000)
      const [stored] = yield* store.list(key.accountId)
      expect(stored!.lastUsedAt).toBe(windowStart + 20_000)
    })
  )

  it.effect("returns nothing for an empty batch", () =>
    Effect.gen(function* () {
      const store = yield* ApiKeyStore
      expect(yield* store.authenticate([], now)).toEqual([])
    })
  )
}

/** Tests of the port `ApiKeyStore`. */
export const apiKeyStoreContract = (it: StorageTest): void => {
  describe("ApiKeyStore", () => {
    storing(it)
    admitting(it)
  })
}
