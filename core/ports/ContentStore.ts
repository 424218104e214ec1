/**
 * Records which content an account has stored, and what uses it. `SubmissionStore.insert` adds content with its use;
 * the statements that delete or erase submissions end uses.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ObjectName } from "../model/Content.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** What a round of removal did. */
export interface RemovedContent {
  /** How many candidates were looked at. Fewer than the limit: there are no more. */
  readonly seen: number
  /** The objects that were removed from the records, and whose bytes are outside the database. */
  readonly outside: ReadonlyArray<ObjectName>
}

/** The port of the records of stored content. */
export class ContentStore extends Context.Service<
  ContentStore,
  {
    /** Those of the hashes that the account has content of. */
    readonly find: (
      accountId: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Those of an account's objects that are on record. */
    readonly recorded: (
      accountId: string,
      names: ReadonlyArray<ObjectName>
    ) => Effect.Effect<ReadonlyArray<ObjectName>, Unavailable>
    /**
     * Deletes the account's content whose last use has ended, or that was stored without one more than 12 hours before
     * `now`: at most `limit` candidates. A submission that is inserted at the same time either keeps the content, or
     * fails with `WriteConflict`. In the caller's transaction.
     */
    readonly removeUnused: (
      accountId: string,
      limit: number,
      now: number
    ) => Effect.Effect<RemovedContent, Unavailable>
  }
>()("svc/ports/ContentStore") {}
