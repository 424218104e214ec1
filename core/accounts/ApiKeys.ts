/**
 * The operator's use cases for API keys (docs/contributing/public-api.md "Authentication", 2 and 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import { Issues, Problem, type Unavailable, valueDetail } from "../shared/Problem.ts"
import { checkText, formatDateTime } from "../shared/Validate.ts"
import type { Mode } from "../model/Account.ts"
import { type ApiKey, maxActiveKeys } from "../model/ApiKey.ts"
import { AuditTrail } from "./AuditTrail.ts"
import { displayOf, formatKey, keyBytes, prefixOf } from "./KeyFormat.ts"
import { isPermission, type Permission, permissions } from "../model/Permission.ts"

/** The fewest and the most characters of a key's name. */
export const keyNameLengths = { min: 2, max: 100 } as const
const dayMillis = 86_400_000
const expiries: ReadonlyArray<number | null> = [30, 90, 365, null]

/** A request to create a key. */
export interface NewApiKey {
  readonly name: string
  readonly permissions: ReadonlyArray<string>
  /** 30, 90 or 365, or null for never. */
  readonly expiresInDays: number | null
}

/** A key that was just created. Its secret is available only now. */
export interface IssuedKey {
  readonly key: string
  readonly apiKey: ApiKey
}

/** The operator's use cases for API keys. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /**
     * Creates a key. common.not_found for the account; validation.*, accounts.api_key_expiry_invalid,
     * accounts.api_key_permission_unknown; accounts.api_key_limit_reached if the account has 10 active keys.
     */
    readonly create: (
      accountId: string,
      request: NewApiKey,
      actor: Actor
    ) => Effect.Effect<IssuedKey, Problem | Unavailable>
    /** All keys of an account, newest first. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ApiKey>, Unavailable>
    /** Revokes a key, effective on every node at once; common.not_found. */
    readonly revoke: (
      accountId: string,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
  }
>()("svc/accounts/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const store = yield* ApiKeyStore
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail
      const context = yield* Effect.context<Crypto | Ids>()

      return ApiKeys.of({
        create: Effect.fn("ApiKeys.create")(function* (accountId, request, actor) {
          const parsed = yield* Effect.fromResult(parseNewKey(request))
          const [account] = yield* accounts.find([accountId])
          if (account === undefined) return yield* Problem.of("common.not_found")
          const issued = yield* Effect.provideContext(newApiKey(account.mode, accountId, parsed), context)
          const { apiKey } = issued
          const limitReached = () =>
            Problem.of("accounts.api_key_limit_reached", null, { max: maxActiveKeys })
          const change = {
            accountId,
            action: "api_key.created",
            target: apiKey.id,
            before: null,
            after: summaryOf(apiKey)
          }
          yield* store
            .insert([apiKey], maxActiveKeys, apiKey.createdAt)
            .pipe(
              refuseOn("api_keys_active", limitReached),
              Effect.andThen(record(actor, change)),
              atomically
            )
          return issued
        }),
        list: store.list,
        revoke: Effect.fn("ApiKeys.revoke")(function* (accountId, id, actor) {
          const now = yield* Clock.currentTimeMillis
          const key = yield* store.revoke(accountId, id, now)
          if (key === null) return yield* Problem.of("common.not_found")
          if (key.revokedAt !== now) return
          yield* record(actor, {
            accountId,
            action: "api_key.revoked",
            target: id,
            before: { ...summaryOf(key), revoked: false },
            after: { ...summaryOf(key), revoked: true }
          })
        }, atomically)
      })
    })
  )
}

interface ParsedKey extends NewApiKey {
  readonly permissions: ReadonlyArray<Permission>
}

const parseNewKey = (request: NewApiKey): Result.Result<ParsedKey, Problem> => {
  const issues = new Issues()
  const name = checkText(request.name, "name", keyNameLengths.max, issues)
  if (name.length < keyNameLengths.min) {
    issues.add("validation.min_length", "name", { min: keyNameLengths.min })
  }
  if (request.permissions.length === 0) issues.add("validation.required", "permissions")
  request.permissions.forEach((permission, index) => {
    if (!isPermission(permission)) {
      issues.add("accounts.api_key_permission_unknown", `permissions[${index}]`, null, {
        value: permission,
        known: permissions.join(", ")
      })
    }
  })
  if (!expiries.includes(request.expiresInDays)) {
    issues.add("accounts.api_key_expiry_invalid", "expiresInDays", null, valueDetail(request.expiresInDays))
  }
  const given = [...new Set(request.permissions.filter(isPermission))]
  return issues.result({ name, permissions: given, expiresInDays: request.expiresInDays })
}

/** A new key for an account, not yet stored. */
export const newApiKey = Effect.fnUntraced(function* (mode: Mode, accountId: string, request: ParsedKey) {
  const crypto = yield* Crypto
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const key = formatKey(prefixOf(mode), crypto.randomBytes(keyBytes))
  const apiKey: ApiKey = {
    id: yield* ids.next,
    accountId,
    name: request.name,
    hash: crypto.sha256Hex(key),
    display: displayOf(key),
    permissions: request.permissions,
    expiresAt: request.expiresInDays === null ? null : now + request.expiresInDays * dayMillis,
    lastUsedAt: null,
    revokedAt: null,
    createdAt: now
  }
  return { key, apiKey } satisfies IssuedKey
})

const summaryOf = (key: ApiKey) => ({
  name: key.name,
  display: key.display,
  permissions: key.permissions,
  expiresAt: key.expiresAt === null ? null : formatDateTime(key.expiresAt)
})
