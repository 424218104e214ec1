/**
 * Stores API keys and authenticates calls. One statement looks up a key and counts its calls.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Mode } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Permission } from "../model/Permission.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** A call to authenticate. */
export interface AdmissionRequest {
  /** SHA-256 of the key presented, hex. */
  readonly hash: string
  /** The permission that the call needs; null if any key will do. */
  readonly permission: Permission | null
  /** The rate window in which the call counts: `api`, `smtp` for messages to the relay, `login` for logins to it. */
  readonly window: "api" | "smtp" | "login"
}

/** The key of a call, and the state of its rate window. */
export interface Authentication {
  readonly keyId: string
  readonly accountId: string
  readonly mode: Mode
  /** Whether the key has the permission. A call without it is not counted. */
  readonly permitted: boolean
  /** The calls per minute that the account grants each key. */
  readonly limit: number
  /**
   * The number of this call in its window, from 1; a call above `limit` must be rejected. For a call that is not permitted,
   * the number of calls in the window so far.
   */
  readonly count: number
}

/** The port of API keys and authentication. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * Adds keys. `WriteConflict("api_keys_active")` if an account would have more than `maxActive` keys that are neither
     * revoked nor expired at `now`, even with concurrent writers.
     */
    readonly insert: (
      keys: ReadonlyArray<ApiKey>,
      maxActive: number,
      now: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** All keys of an account, revoked ones included, newest first. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ApiKey>, Unavailable>
    /**
     * Revokes a key from `now` on, effective on every node at once. Returns the key afterwards, or null if the account has no
     * key with the id. Revoking again keeps the first time.
     */
    readonly revoke: (accountId: string, id: string, now: number) => Effect.Effect<ApiKey | null, Unavailable>
    /**
     * Finds the key of each request and counts the call in the key's window for the minute of `now`, for all requests in one
     * statement. Returns results in the order of the requests: null if the hash belongs to no active key of an account that is
     * not deleted. Calls that are not permitted are not counted. Also records when each key was last used, to the minute.
     */
    readonly authenticate: (
      requests: ReadonlyArray<AdmissionRequest>,
      now: number
    ) => Effect.Effect<ReadonlyArray<Authentication | null>, Unavailable>
  }
>()("svc/ports/ApiKeyStore") {}
