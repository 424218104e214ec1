/**
 * Divides the concurrency limits and rates of lanes between processes. A lane is a destination of mail, such as a provider or
 * a relay, as reached from one source address (`core/model/Lane.ts`).
 *
 * @module
 */
import { Context, type Effect } from "effect"
import {
  type Feedback,
  isProven,
  type LaneBounds,
  type LaneOverride,
  type LaneState,
  learned,
  newLane,
  type Pace,
  type StatedLimits,
  statedUses,
  widthAt
} from "../model/Lane.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A process's share of a lane. All times are epoch milliseconds. */
export interface LaneShare {
  /** How many connections the process may have open now. */
  readonly places: (now: number) => number
  /** The concurrency limit of the lane, over all processes. */
  readonly width: (now: number) => number
  /** Whether open connections may still deliver a message. */
  readonly isHeld: (now: number) => boolean
  /** Whether no process used the lane in the minute before this process got its share. */
  readonly isRested: () => boolean
  /** The time before which asking for another connection is pointless; null if not known. */
  readonly fullUntil: (now: number) => number | null
  readonly isProven: (now: number) => boolean
  /** The most messages per connection that the servers stated; unlimited if they stated none. */
  readonly statedUses: (now: number) => number
  /** When the suspension of the lane ends; null if it is not suspended. */
  readonly suspendedUntil: (now: number) => number | null
  readonly learn: (feedback: Feedback, now: number) => void
  /**
   * Reserves the opening of a connection. All processes together open at most `perMinute` connections in any minute. Returns
   * null if the connection may be opened, otherwise the time at which to ask again. Absent if no other process uses the lane.
   */
  readonly takeOpening?: (perMinute: number, now: number) => number | null
  /** Applies other limits from now on. */
  readonly adopt: (bounds: LaneBounds) => void
  /** Reports how many connections the messages need, and how many are open. */
  readonly use: (needed: number, open: number, now: number) => void
}

/** Callbacks with which a process learns about its share. */
export interface LaneListener {
  /** The share may have changed. */
  readonly changed: (now: number) => void
  /** The share is lost: connections that have not sent the last byte of a message must be closed. */
  readonly lost: (now: number) => void
}

/** The suspension of a lane whose servers could not be reached. */
export interface Unreached {
  /** Epoch milliseconds. */
  readonly until: number
  readonly isProven: boolean
}

/** The names of sites. A site is a set of mail server addresses. */
export interface SiteNames {
  /** The name of the site to which addresses belong. `site` has the addresses, joined as in the name of a site. */
  readonly nameOf: (site: string, now: number) => string
}

/** What processes share about lanes, except connections. Reads and writes are local and never wait for the database. */
export interface LaneMemory {
  /** The pace of a lane; null for none. */
  readonly paceOf: (lane: string) => Pace | null
  /** Sets the pace of a lane from a time on; null removes it. */
  readonly setPace: (lane: string, pace: Pace | null, at: number) => void
  /** Reserves a message at the pace of a lane. Returns null if it may be sent, otherwise the time at which to ask again. */
  readonly take: (lane: string, now: number) => number | null
  /** When rejections of a kind arrived. */
  readonly marksOf: (lane: string, kind: string) => ReadonlyArray<number>
  readonly setMarks: (lane: string, kind: string, times: ReadonlyArray<number>) => void
  /** Whether servers of a lane, reached from any source, stated that connections must be encrypted. */
  readonly isEncrypted: (lane: string, now: number) => boolean
  /** The limits that the servers of a lane stated. */
  readonly statedOf: (lane: string, now: number) => StatedLimits
  /** What an operator set in place of the rules of a lane or of a provider; null if nothing. */
  readonly overrideOf: (lane: string, now: number) => LaneOverride | null
  /**
   * The suspension of a lane whose servers could not be reached several times in a row: when it ends, and whether the lane
   * accepted a message within a day. Null if there is none.
   */
  readonly unreached: (lane: string, now: number) => Unreached | null
  /** When a lane last accepted a message from any process, epoch milliseconds; 0 if not known. */
  readonly acceptedAt: (lane: string) => number
  /** Ends the suspension that `unreached` returns before its time. */
  readonly reach: (lane: string, now: number) => void
  /** Ends the slow start of a lane. A name without a source stands for the lane from every source. */
  readonly restore: (lane: string, now: number) => void
  /** The names of sites, the same in all processes. */
  readonly sites: SiteNames
  /** Reads the changes that other processes made. */
  readonly refresh: Effect.Effect<void, Unavailable>
}

/** Assigns processes their shares of lanes. */
export interface LaneSharesShape {
  /** Null if no other process uses the lanes. */
  readonly memory: LaneMemory | null
  readonly share: (lane: string, bounds: LaneBounds, listener: LaneListener) => LaneShare
}

/** The share of a process that uses its lanes alone. */
export const wholeShare: LaneSharesShape["share"] = (_lane, given) => {
  let bounds = given
  let state: LaneState = newLane(bounds)
  const width = (now: number) => widthAt(state, bounds, now)
  return {
    places: width,
    width,
    isHeld: () => true,
    isRested: () => true,
    fullUntil: () => null,
    isProven: (now) => isProven(state, now),
    statedUses: (now) => statedUses(state, now),
    suspendedUntil: (now) => (state.suspendedUntil > now ? state.suspendedUntil : null),
    learn: (feedback, now) => {
      state = learned(state, feedback, bounds, now)
    },
    adopt: (changed) => {
      bounds = changed
    },
    use: () => undefined
  }
}

/** The service that assigns shares. By default each process uses all lanes alone. */
export const LaneShares = Context.Reference<LaneSharesShape>("svc/kernel/LaneShares", {
  defaultValue: () => ({ memory: null, share: wholeShare })
})
