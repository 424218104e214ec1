/**
 * Stores sources (the addresses from which mail is sent), pools of sources, and the daily counts of what each source sent. There
 * are few sources and pools.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { MailSource, ReverseName, SourceDay, SourceDayKey, SourcePool } from "../model/Source.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** All sources and pools. */
export interface StoredSources {
  /** Oldest first. */
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
    /** Replaces an existing source, except its address, creation time and reverse name. */
    readonly save: (source: MailSource) => Effect.Effect<void, Unavailable>
    /** Replaces the reverse names of existing sources, by their ids. */
    readonly saveReverse: (found: ReadonlyMap<string, ReverseName>) => Effect.Effect<void, Unavailable>
    /** Removes a source, if it exists. */
    readonly remove: (id: string) => Effect.Effect<void, Unavailable>
    /** Adds a pool, or replaces the one with its key. */
    readonly putPool: (pool: SourcePool) => Effect.Effect<void, Unavailable>
    /** Removes a pool, if it exists. */
    readonly removePool: (key: string) => Effect.Effect<void, Unavailable>
    /**
     * The days with the keys, locked until the caller's transaction ends, in the order of the keys; missing ones are added
     * without messages. No key is given twice.
     */
    readonly lockDays: (
      keys: ReadonlyArray<SourceDayKey>
    ) => Effect.Effect<ReadonlyArray<SourceDay>, Unavailable>
    /** Replaces days. */
    readonly putDays: (days: ReadonlyArray<SourceDay>) => Effect.Effect<void, Unavailable>
    /** The days of all sources from a day on for these buckets, in no order. */
    readonly daysSince: (
      day: string,
      buckets: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<SourceDay>, Unavailable>
    /** Deletes days before a day, except those of some buckets, at most `limit`; returns how many. */
    readonly pruneDays: (
      before: string,
      except: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/SourceStore") {}
