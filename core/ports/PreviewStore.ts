/**
 * Stores rendered previews for the few minutes in which an iframe shows them.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** The HTML of a preview. */
export interface Preview {
  readonly id: string
  readonly accountId: string
  /** Who may see it: the session, or the token, for which it was rendered. */
  readonly owner: string
  readonly html: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The most previews of an owner in an account. A further one replaces the oldest. */
export const maxPreviews = 20

/** The port of previews. */
export class PreviewStore extends Context.Service<
  PreviewStore,
  {
    /** Adds a preview. Only the newest `maxPreviews` of its owner in the account stay. */
    readonly insert: (preview: Preview) => Effect.Effect<void, Unavailable>
    /** A preview of the owner, even if it expired; null if there is none. */
    readonly find: (
      accountId: string,
      id: string,
      owner: string
    ) => Effect.Effect<Preview | null, Unavailable>
    /** Deletes all previews in an account, because any of them may show a person who is erased. */
    readonly clear: (accountId: string) => Effect.Effect<void, Unavailable>
    /** Deletes previews that expired before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/PreviewStore") {}
