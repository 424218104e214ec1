/**
 * Stores rendered previews for the few minutes in which a frame shows them.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The HTML of a preview. */
export interface Preview {
  readonly id: string
  readonly accountId: string
  /** Who may see it: the session, or the token, that it was rendered for. */
  readonly owner: string
  readonly html: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The most previews of an owner in an account: the oldest is removed for the next. */
export const maxPreviews = 20

/** The port of previews. */
export class PreviewStore extends Context.Service<
  PreviewStore,
  {
    /** Adds a preview; of its owner's in the account, only the newest `maxPreviews` stay. */
    readonly insert: (preview: Preview) => Effect.Effect<void, Unavailable>
    /** A preview of the owner, expired ones included; null where there is none. */
    readonly find: (
      accountId: string,
      id: string,
      owner: string
    ) => Effect.Effect<Preview | null, Unavailable>
    /** Deletes previews that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/PreviewStore") {}
