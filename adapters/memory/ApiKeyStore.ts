/**
 * Stores API keys in memory, and authenticates calls.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { windowStart } from "../../core/accounts/Authentication.ts"
import { type ApiKey, isActive } from "../../core/model/ApiKey.ts"
import { type Authentication, type AdmissionRequest, ApiKeyStore } from "../../core/ports/ApiKeyStore.ts"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accounts, windows } = yield* SharedTables
  const order = new SortedIndex<ApiKey>((key) => key.accountId, byField("createdAt"))
  const keys = new Table<ApiKey, "api_keys_hash">(database, {
    key: (key) => key.id,
    unique: { api_keys_hash: (key) => key.hash },
    indexes: [order]
  })

  const authenticateOne = (
    { hash, permission, window }: AdmissionRequest,
    now: number
  ): Authentication | null => {
    const key = keys.by("api_keys_hash", hash)
    const account = key === undefined ? undefined : accounts.get(key.accountId)
    if (key === undefined || account === undefined || account.deletedAt !== null) return null
    if (!isActive(key, now)) return null
    const start = windowStart(now)
    if (key.lastUsedAt === null || key.lastUsedAt < start) {
      // Uses are recorded as the start of the window, but not earlier than the key was created.
      keys.replace({ ...key, lastUsedAt: Math.max(start, key.createdAt) })
    }
    const permitted = permission === null || key.permissions.includes(permission)
    return {
      keyId: key.id,
      accountId: account.id,
      mode: account.mode,
      permitted,
      limit: account.settings.rateLimitPerMinute,
      count: windows.add(account.id, `${window}:${key.id}`, start, permitted ? 1 : 0)
    }
  }

  return ApiKeyStore.of({
    insert: (newKeys, maxActive, now) =>
      database.writeOrConflict(() => {
        for (const key of newKeys) keys.insert(frozen(key))
        for (const accountId of new Set(newKeys.map((key) => key.accountId))) {
          const active = order.rows(accountId).filter((key) => isActive(key, now))
          if (active.length > maxActive) throw new WriteConflict({ constraint: "api_keys_active" })
        }
      }),
    list: (accountId) => database.read(() => order.rows(accountId).toReversed()),
    revoke: (accountId, id, now) =>
      database.write(() => {
        const key = keys.get(id)
        if (key === undefined || key.accountId !== accountId) return null
        return key.revokedAt === null ? keys.replace({ ...key, revokedAt: now }) : key
      }),
    authenticate: (requests, now) =>
      database.write(() => requests.map((request) => authenticateOne(request, now)))
  })
}).pipe(Layer.effect(ApiKeyStore))
