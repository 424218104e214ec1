/**
 * Stores set-up links, by the hashes of their tokens.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { SetupLink } from "../model/User.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The port of set-up links. */
export class SetupLinkStore extends Context.Service<
  SetupLinkStore,
  {
    /** Adds a link. */
    readonly insert: (link: SetupLink) => Effect.Effect<void, Unavailable>
    /** The link with the hash, even if used or expired; null if there is none. */
    readonly find: (hash: string) => Effect.Effect<SetupLink | null, Unavailable>
    /** Marks a link as used. Returns false if it does not exist or was used before, even with concurrent calls. */
    readonly use: (hash: string, now: number) => Effect.Effect<boolean, Unavailable>
    /**
     * Removes the links of a user, or, if `userId` is null, those that belong to no user. With `companyId`, only the links by
     * which that company invited the user.
     */
    readonly removeOf: (userId: string | null, companyId: string | null) => Effect.Effect<void, Unavailable>
    /** Deletes links that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SetupLinkStore") {}
