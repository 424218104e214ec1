/**
 * Stores the latest changes of accounts that are streamed, and which accounts those are. The entries of an account are
 * numbered without gaps in the order in which they were committed.
 *
 * @module
 */
import { Context, type Effect, type Scope } from "effect"
import type { LiveEntry, NewLiveEntry } from "../model/LiveEntry.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A stream of an account. */
export interface LiveStreamRef {
  readonly accountId: string
  readonly id: string
}

/** An account whose changes are stored. */
export interface ListenedAccount {
  readonly accountId: string
  /** Since when, epoch milliseconds. */
  readonly since: number
  /** Until when, unless a stream renews it, epoch milliseconds. */
  readonly until: number
}

/** What is stored of an account behind a number. */
export interface LiveRead {
  /** The first entries behind it that are kept. */
  readonly entries: ReadonlyArray<LiveEntry>
  /** The number of the account's last entry, kept or not. */
  readonly last: number
  /** The entries up to this number are gone for good. */
  readonly floor: number
}

/** How long a stream and the storing of its account's changes last, epoch milliseconds. */
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
     * Adds a stream, in the caller's transaction, unless the account has `limit` that have not ended; false then. Where the
     * account's changes were not stored at `now`, its numbering continues one further, and what was stored is gone.
     */
    readonly open: (
      stream: LiveStreamRef,
      lease: LiveLease,
      limit: number
    ) => Effect.Effect<boolean, Unavailable>
    /** Extends a stream; one that was removed meanwhile is added again. */
    readonly renew: (stream: LiveStreamRef, lease: LiveLease) => Effect.Effect<void, Unavailable>
    /** Removes a stream. The account's changes are stored as long as they would be with it. */
    readonly close: (stream: LiveStreamRef) => Effect.Effect<void, Unavailable>
    /** The accounts whose changes are stored at `now`. */
    readonly listened: (now: number) => Effect.Effect<ReadonlyArray<ListenedAccount>, Unavailable>
    /**
     * Adds entries of an account whose changes are stored at `now`, numbers them in order, and wakes its streams on every
     * node; of other accounts nothing is added. Only the last `kept` stay. Of entries with one `onceKey` that are kept at the
     * same time the first is added; concurrent writers may each add one.
     */
    readonly append: (
      accountId: string,
      entries: ReadonlyArray<NewLiveEntry>,
      now: number,
      kept: number
    ) => Effect.Effect<void, Unavailable>
    /** Up to `limit` entries of an account behind a number that were added at `since` or later, in order. */
    readonly read: (
      accountId: string,
      after: number,
      since: number,
      limit: number
    ) => Effect.Effect<LiveRead, Unavailable>
    /** Removes all entries of an account, whose numbering continues one further: they may be about erased people. */
    readonly clear: (accountId: string) => Effect.Effect<void, Unavailable>
    /**
     * Waits for entries of an account that were added, or are about to be read again, since the last wait. A wake-up may
     * come without a reason.
     */
    readonly wakeups: (accountId: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** As `wakeups`, for changes of `listened`. */
    readonly listeners: Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
    /** Deletes up to `limit` entries that were added before a time, and the streams that ended by then; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/LiveEntries") {}
