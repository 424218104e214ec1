/**
 * Stores the suspensions of lanes, of all accounts together, and what processes share of lanes.
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
  /** By name; the name of a lane without its source also stands for that from each source. */
  readonly lane?: Among<string>
  /** By the key of the provider, be the lane of all its servers or of one site. */
  readonly provider?: Among<string>
  readonly accountId?: Among<string>
  /** The account that it concerns: its own, and those of all accounts. */
  readonly concerns?: string | null
  /** Those of all accounts alone, whichever domain mail is sent from. */
  readonly ofAll?: boolean
  /** Those that began before a time, epoch milliseconds. */
  readonly before?: number
  /** Whether it has not ended at a time, epoch milliseconds: that of a reply ends with what is accepted, others at their time. */
  readonly open?: { readonly is: boolean; readonly at: number } | null
}

/** Which lanes a list shows. */
export interface LaneFilter {
  /** By name; a name also stands for the sites of a provider, and for the lane from each source: `key`, `key:...`, `...@address`. */
  readonly lane?: Among<string>
  /** By the address that mail leaves from. */
  readonly source?: Among<string>
  /**
   * Those that are suspended at a time, epoch milliseconds, because they could not be reached, and those with these names,
   * from any source where the name has none; or all others, where `is` is false.
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
    /** Suspensions that changed at a time or later, epoch milliseconds, the oldest change first, at most `limit`. */
    readonly changed: (since: number, limit: number) => Effect.Effect<ReadonlyArray<Suspension>, Unavailable>
    /**
     * The suspensions that have these keys (`suspensionKey`), locked until the caller's transaction ends, in the order of
     * the keys.
     */
    readonly lock: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Suspension>, Unavailable>
    /** Adds suspensions, or replaces those of the same keys. */
    readonly put: (suspensions: ReadonlyArray<Suspension>) => Effect.Effect<void, Unavailable>
    /**
     * Sets `probeUntil` of those suspensions that have not ended and have no `probeUntil` after `now`; returns their ids.
     * However many claim one at the same time, it is claimed once.
     */
    readonly claimProbes: (
      ids: ReadonlyArray<string>,
      now: number,
      until: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    readonly find: (id: string) => Effect.Effect<Suspension | null, Unavailable>
    /** A page of suspensions, the one that began last first. */
    readonly page: (
      request: PageRequest,
      filter: SuspensionFilter
    ) => Effect.Effect<Page<Suspension>, Unavailable>
    /** Ends, at `now`, suspensions whose time ended before another, at most `limit`; returns how many. */
    readonly settle: (before: number, now: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Deletes suspensions that ended before a time, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /**
     * The lanes with these names, locked until the caller's transaction ends; those that are not there are added as given.
     * No name is given twice.
     */
    readonly lockLanes: (
      lanes: ReadonlyArray<SharedLane>
    ) => Effect.Effect<ReadonlyArray<SharedLane>, Unavailable>
    /**
     * Replaces the lanes that are still as a process last had them (`known`) by others of the same names, each whatever becomes of the
     * rest; returns the names of those replaced. One statement. No name is given twice.
     */
    readonly exchangeLanes: (
      exchanges: ReadonlyArray<{ readonly known: SharedLane; readonly next: SharedLane }>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Replaces lanes. */
    readonly putLanes: (lanes: ReadonlyArray<SharedLane>) => Effect.Effect<void, Unavailable>
    /** The lanes that have a pace, marks, an override or limits that servers stated, at most `limit`. */
    readonly notedLanes: (limit: number) => Effect.Effect<ReadonlyArray<SharedLane>, Unavailable>
    /** The names of lanes to sites and relays, and when each was last used, the latest first, at most `limit`. */
    readonly siteLanes: (
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<SharedLane, "changedAt" | "lane">>, Unavailable>
    /** A page of lanes, sorted by name, the last first. */
    readonly lanes: (request: PageRequest, filter: LaneFilter) => Effect.Effect<Page<SharedLane>, Unavailable>
    /**
     * Deletes lanes without an override that were last used before a time, and whose servers did not ask for encryption
     * until after it, at most `limit`; returns how many. One that begins again slowly stays for as long again as a suspension lasts at
     * most.
     */
    readonly pruneLanes: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/ShapingStore") {}
