/**
 * Stores the suspensions of lanes for all accounts together, and the state of lanes that processes share. A lane is a destination
 * of mail as reached from one source address (`core/model/Lane.ts`).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { SharedLane } from "../model/Lane.ts"
import type { Suspension } from "../model/Suspension.ts"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which suspensions a list shows. */
export interface SuspensionFilter {
  /** The names of lanes. A name without a source also matches the lane from each source. */
  readonly lane?: Among<string>
  /** The keys of providers; match the lanes of all their servers and of single sites. */
  readonly provider?: Among<string>
  readonly accountId?: Among<string>
  /** The account that it concerns: suspensions of that account, and those of all accounts. */
  readonly concerns?: string | null
  /** Only suspensions for all accounts, and for every sending domain. */
  readonly ofAll?: boolean
  /** Only suspensions that began before a time, epoch milliseconds. */
  readonly before?: number
  /** Whether it is open at a time, epoch milliseconds. Those by a reply end when a message is accepted, others at their time. */
  readonly open?: { readonly is: boolean; readonly at: number } | null
}

/** Which lanes a list shows. */
export interface LaneFilter {
  /**
   * The names of lanes. A name also matches the sites of a provider, and the lane from each source: `key`, `key:...`,
   * `...@address`.
   */
  readonly lane?: Among<string>
  /** The addresses from which mail is sent. */
  readonly source?: Among<string>
  /**
   * With `is` true, only lanes that at a time, epoch milliseconds, are suspended because their servers could not be reached, and
   * lanes with the given names, from any source if the name has none. With `is` false, only all others.
   */
  readonly paused?: {
    readonly is: boolean
    readonly at: number
    readonly lanes: ReadonlyArray<string>
  } | null
}

/** The port of suspensions and lanes. */
export class ShapingStore extends Context.Service<
  ShapingStore,
  {
    /** Suspensions that changed at or after a time, epoch milliseconds, oldest change first, at most `limit`. */
    readonly changed: (since: number, limit: number) => Effect.Effect<ReadonlyArray<Suspension>, Unavailable>
    /**
     * The suspensions with the keys (`suspensionKey`), locked until the caller's transaction ends, in the order of the keys.
     */
    readonly lock: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Suspension>, Unavailable>
    /** Adds suspensions, or replaces those with the same keys. */
    readonly put: (suspensions: ReadonlyArray<Suspension>) => Effect.Effect<void, Unavailable>
    /**
     * Sets `probeUntil` of those suspensions that have not ended and have no `probeUntil` after `now`; returns their ids. If
     * several callers claim a suspension at the same time, only one of them gets it.
     */
    readonly claimProbes: (
      ids: ReadonlyArray<string>,
      now: number,
      until: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    readonly find: (id: string) => Effect.Effect<Suspension | null, Unavailable>
    /** A page of suspensions, the most recently begun first. */
    readonly page: (
      request: PageRequest,
      filter: SuspensionFilter
    ) => Effect.Effect<Page<Suspension>, Unavailable>
    /** Marks suspensions whose time ended before `before` as ended at `now`, at most `limit`; returns how many. */
    readonly settle: (before: number, now: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Deletes suspensions that ended before a time, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /**
     * The lanes with the names, locked until the caller's transaction ends; missing ones are added as given. No name is given
     * twice.
     */
    readonly lockLanes: (
      lanes: ReadonlyArray<SharedLane>
    ) => Effect.Effect<ReadonlyArray<SharedLane>, Unavailable>
    /**
     * Replaces lanes that are unchanged since a process last read them (`known`); each independently of the others. Returns the
     * names of the replaced lanes. One statement. No name is given twice.
     */
    readonly exchangeLanes: (
      exchanges: ReadonlyArray<{ readonly known: SharedLane; readonly next: SharedLane }>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Replaces lanes. */
    readonly putLanes: (lanes: ReadonlyArray<SharedLane>) => Effect.Effect<void, Unavailable>
    /** The lanes with a pace, marks, an override or limits that servers stated, at most `limit`. */
    readonly notedLanes: (limit: number) => Effect.Effect<ReadonlyArray<SharedLane>, Unavailable>
    /** The names of lanes to sites and relays with their last use, latest first, at most `limit`. */
    readonly siteLanes: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<SharedLane, "changedAt" | "lane">>, Unavailable>
    /** A page of lanes, sorted by name, descending. */
    readonly lanes: (request: PageRequest, filter: LaneFilter) => Effect.Effect<Page<SharedLane>, Unavailable>
    /**
     * Deletes lanes without an override that were last used before a time, at most `limit`; returns how many. Lanes whose servers
     * require encryption beyond that time stay, and lanes in a slow start are kept longer by the longest duration of a
     * suspension.
     */
    readonly pruneLanes: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/ShapingStore") {}
