/**
 * Stores sources and pools, of which there are few, and what each source sent by day.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailSource, ReverseName, SourceDay, SourceDayKey, SourcePool } from "../model/Source.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** All sources and pools. */
export interface StoredSources {
  /** The oldest first. */
  readonly sources: ReadonlyArray<MailSource>
  /** By key. */
  readonly pools: ReadonlyArray<SourcePool>
}

/** The port of sources and pools. */
export class SourceStore extends Context.Service<
  SourceStore,
  {
    readonly all: Effect.Effect<StoredSources, Unavailable>
    /** Adds a source. */
    readonly insert: (source: MailSource) => Effect.Effect<void, Unavailable>
    /** Replaces a source that exists, except its address, age and reverse name. */
    readonly save: (source: MailSource) => Effect.Effect<void, Unavailable>
    /** Replaces the reverse names of sources that exist, by their ids. */
    readonly saveReverse: (found: ReadonlyMap<string, ReverseName>) => Effect.Effect<void, Unavailable>
    /** Removes a source, if it is there. */
    readonly remove: (id: string) => Effect.Effect<void, Unavailable>
    /** Adds a pool, or replaces the one with its key. */
    readonly putPool: (pool: SourcePool) => Effect.Effect<void, Unavailable>
    /** Removes a pool, if it is there. */
    readonly removePool: (key: string) => Effect.Effect<void, Unavailable>
    /**
     * The days with these keys, locked until the caller's transaction ends, in the order of the keys; those that are not there
     * are added without any message. No key is given twice.
     */
    readonly lockDays: (
      keys: ReadonlyArray<SourceDayKey>
    ) => Effect.Effect<ReadonlyArray<SourceDay>, Unavailable>
    /** Replaces days. */
    readonly putDays: (days: ReadonlyArray<SourceDay>) => Effect.Effect<void, Unavailable>
    /** The days of all sources from one on to these buckets, in no order. */
    readonly daysSince: (
      day: string,
      buckets: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SourceDay>, Unavailable>
    /** Deletes days before one, except to some buckets, at most `limit`; returns how many. */
    readonly pruneDays: (
      before: string,
      except: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SourceStore") {}
