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
    /** The link with that hash, used or expired ones included; null where there is none. */
    readonly find: (hash: string) => Effect.Effect<SetupLink | null, Unavailable>
    /** Marks a link as used; false where it is none, or was used before, also concurrently. */
    readonly use: (hash: string, now: number) => Effect.Effect<boolean, Unavailable>
    /** Removes the links of a user; null for those that belong to none. */
    readonly removeOf: (userId: string | null) => Effect.Effect<void, Unavailable>
    /** Deletes links that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SetupLinkStore") {}
