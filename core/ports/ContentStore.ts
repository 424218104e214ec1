/**
 * Records which content an account has stored, and what uses it. `SubmissionStore.insert` adds content together with its use.
 * The statements that delete or erase submissions end uses.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { ObjectName } from "../model/Content.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** The result of a removal round. */
export interface RemovedContent {
  /** The number of candidates examined. If it is below the limit, there are no more. */
  readonly seen: number
  /** The objects removed from the records whose bytes are outside the database. */
  readonly outside: ReadonlyArray<ObjectName>
}

/** The port of the records of stored content. */
export class ContentStore extends Context.Service<
  ContentStore,
  {
    /** Whether any account has bytes outside the database. */
    readonly hasOutside: Effect.Effect<boolean, Unavailable>
    /** The given hashes for which the account has content. */
    readonly find: (
      accountId: string,
      hashes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The given objects of an account that are recorded. */
    readonly recorded: (
      accountId: string,
      names: ReadonlyArray<ObjectName>
    ) => Effect.Effect<ReadonlyArray<ObjectName>, Unavailable>
    /**
     * Deletes content of the account whose last use has ended, or that has never had a use and was stored more than 12 hours
     * before `now`; examines at most `limit` candidates. A submission inserted at the same time either keeps the content, or
     * fails with `WriteConflict`. In the caller's transaction.
     */
    readonly removeUnused: (
      accountId: string,
      limit: number,
      now: number
    ) => Effect.Effect<RemovedContent, Unavailable>
  }
>()("svc/ports/ContentStore") {}
