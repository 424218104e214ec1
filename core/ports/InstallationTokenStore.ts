/**
 * Stores installation tokens, which belong to no account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { InstallationToken } from "../model/InstallationToken.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { WriteConflict } from "./Transaction.ts"

/** The port of installation tokens. */
export class InstallationTokenStore extends Context.Service<
  InstallationTokenStore,
  {
    /**
     * Adds a token. `WriteConflict("installation_tokens_active")` when more than `maxActive` would be neither revoked
     * nor expired at the token's `createdAt`, also under concurrency.
     */
    readonly insert: (
      token: InstallationToken,
      maxActive: number
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /** The token with that hash, revoked or expired ones included; null where there is none. */
    readonly find: (hash: string) => Effect.Effect<InstallationToken | null, Unavailable>
    /** All tokens, revoked ones included, newest first. */
    readonly list: (page: PageRequest) => Effect.Effect<Page<InstallationToken>, Unavailable>
    /**
     * Revokes a token from `now` on, at once for every node. Returns the token as it is afterwards, or null when there is
     * none with that id. Revoking again keeps the first time.
     */
    readonly revoke: (id: string, now: number) => Effect.Effect<InstallationToken | null, Unavailable>
    /** Records a use. */
    readonly touch: (id: string, usedAt: number, network: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/InstallationTokenStore") {}
