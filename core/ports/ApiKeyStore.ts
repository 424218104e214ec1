/**
 * Stores API keys and authenticates calls: key look-up and rate count in one statement.
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
  /** The permission that the call needs; null where any key will do. */
  readonly permission: Permission | null
  /** The rate window it counts in: `api`, `smtp` for messages of the relay, `login` for logins to it. */
  readonly window: "api" | "smtp" | "login"
}

/** The key found for a call, and where the call stands in its rate window. */
export interface Authentication {
  readonly keyId: string
  readonly accountId: string
  readonly mode: Mode
  /** Whether the key has the permission. A call without it is not counted. */
  readonly permitted: boolean
  /** How many calls a minute the account grants each key. */
  readonly limit: number
  /**
   * Which call of the window this is, from 1; above `limit` it must be rejected. For a call that is not permitted, how
   * many calls the window has so far.
   */
  readonly count: number
}

/** The port of API keys and authentication. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * Adds keys. `WriteConflict("api_keys_active")` when an account would have more than `maxActive` keys that
     * are neither revoked nor expired at `now`, also under concurrency.
     */
    readonly insert: (
      keys: ReadonlyArray<ApiKey>,
      maxActive: number,
      now: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** All keys of an account, revoked ones included, newest first. */
    readonly list: (accountId: string) => Effect.Effect<ReadonlyArray<ApiKey>, Unavailable>
    /**
     * Revokes a key from `now` on, at once for every node. Returns the key as it is afterwards, or null when the account
     * has no key with that id. Revoking again keeps the first time.
     */
    readonly revoke: (accountId: string, id: string, now: number) => Effect.Effect<ApiKey | null, Unavailable>
    /**
     * Finds the key of each request and counts the call in the key's window of the minute of `now`, all requests
     * in one statement. Returns in the order of the requests: null where no active key of an
     * account that is not deleted has the hash. Unpermitted calls
     * are not counted. Also records the keys' last use, to the minute.
     */
    readonly authenticate: (
      requests: ReadonlyArray<AdmissionRequest>,
      now: number
    ) => Effect.Effect<ReadonlyArray<Authentication | null>, Unavailable>
  }
>()("svc/ports/ApiKeyStore") {}
