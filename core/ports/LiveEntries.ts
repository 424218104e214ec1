/**
 * Stores the latest changes of the accounts that have open streams, and which accounts those are. The entries of an account
 * are numbered without gaps, in the order of their commits.
 *
 * @module
 */
import { Context, type Effect, type Scope } from "effect"
import type { LiveEntry, NewLiveEntry } from "../model/LiveEntry.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** An open stream of an account. */
export interface LiveStreamRef {
  readonly accountId: string
  readonly id: string
}

/** An account whose changes are stored. */
export interface ListenedAccount {
  readonly accountId: string
  /** Since when changes are stored, epoch milliseconds. */
  readonly since: number
  /** Until when changes are stored, unless a stream renews it, epoch milliseconds. */
  readonly until: number
}

/** The result of reading an account's entries after a number. */
export interface LiveRead {
  /** The first entries after the number that are still stored. */
  readonly entries: ReadonlyArray<LiveEntry>
  /** The number of the account's last entry, whether it is still stored or not. */
  readonly last: number
  /** Entries with this number or a lower one have been deleted. */
  readonly floor: number
}

/** Until when a stream counts, and its account's changes are stored, epoch milliseconds. */
export interface LiveLease {
  readonly now: number
  /** Until when the stream counts. */
  readonly streamUntil: number
  /** Until when the account's changes are stored. */
  readonly accountUntil: number
}

/** The port of the entries that streams show. */
export class LiveEntries extends Context.Service<
  LiveEntries,
  {
    /**
     * Adds a stream, in the caller's transaction. Returns false, and adds nothing, if the account already has `limit` streams
     * that have not ended. If the account's changes were not stored at `now`, its numbering skips one number and older entries
     * are deleted.
     */
    readonly open: (
      stream: LiveStreamRef,
      lease: LiveLease,
      limit: number
    ) => Effect.Effect<boolean, Unavailable>
    /** Extends a stream; a stream that was removed meanwhile is added again. */
    readonly renew: (stream: LiveStreamRef, lease: LiveLease) => Effect.Effect<void, Unavailable>
    /** Removes a stream. The account's changes are still stored until the time that was set before. */
    readonly close: (stream: LiveStreamRef) => Effect.Effect<void, Unavailable>
    /** The accounts whose changes are stored at `now`. */
    readonly listened: (now: number) => Effect.Effect<ReadonlyArray<ListenedAccount>, Unavailable>
    /**
     * Adds entries of an account whose changes are stored at `now`, numbers them in order, and wakes its streams on every node;
     * for other accounts it does nothing. Only the last `kept` entries stay. If several stored entries would have the same
     * `onceKey`, only the first is added, but concurrent writers may each add one.
     */
    readonly append: (
      accountId: string,
      entries: ReadonlyArray<NewLiveEntry>,
      now: number,
      kept: number
    ) => Effect.Effect<void, Unavailable>
    /** Up to `limit` entries of an account after a number that were added at `since` or later, in order. */
    readonly read: (
      accountId: string,
      after: number,
      since: number,
      limit: number
    ) => Effect.Effect<LiveRead, Unavailable>
    /** Removes all entries of an account, since they may be about erased people. Its numbering skips one number. */
    readonly clear: (accountId: string) => Effect.Effect<void, Unavailable>
    /**
     * Subscribes to new entries of an account, and returns an effect that waits until entries were added or must be read again
     * since the last wait. It may also return without a reason.
     */
    readonly wakeups: (accountId: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** Like `wakeups`, for changes of `listened`. */
    readonly listeners: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** Deletes up to `limit` entries added before a time, and streams that ended before it; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/LiveEntries") {}
