/**
 * Divides the concurrency limits and the rates of lanes between processes.
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
  /** How many connections the process may have now. */
  readonly places: (now: number) => number
  /** The concurrency limit of the lane, over all processes. */
  readonly width: (now: number) => number
  /** Whether connections that are open may still deliver a message. */
  readonly isHeld: (now: number) => boolean
  /** Whether no process used the lane in the minute before this one got its share. */
  readonly isRested: () => boolean
  /** Before when it is of no use to ask for a place again; null where that is not known. */
  readonly fullUntil: (now: number) => number | null
  readonly isProven: (now: number) => boolean
  /** The most messages of a connection that servers stated; any number where they did not. */
  readonly statedUses: (now: number) => number
  /** Until when the lane is suspended; null when it is not. */
  readonly suspendedUntil: (now: number) => number | null
  readonly learn: (feedback: Feedback, now: number) => void
  /**
   * Takes the turn of a connection, of which all processes together open at most so many in any minute; otherwise returns when to ask
   * again. Left out where a process has the lane to itself.
   */
  readonly takeOpening?: (perMinute: number, now: number) => number | null
  /** Follows other limits from now on. */
  readonly adopt: (bounds: LaneBounds) => void
  /** Takes note of how many places messages need, and how many connections are open. */
  readonly use: (needed: number, open: number, now: number) => void
}

/** What a process is called for about its share. */
export interface LaneListener {
  /** It may have changed. */
  readonly changed: (now: number) => void
  /** It is lost: connections that have not sent the last byte of a message must be closed. */
  readonly lost: (now: number) => void
}

/** A suspension of a lane that could not be reached. */
export interface Unreached {
  /** Epoch milliseconds. */
  readonly until: number
  readonly isProven: boolean
}

/** Names sites. */
export interface SiteNames {
  /** The site that these addresses belong to, given joined as a site is named. */
  readonly nameOf: (site: string, now: number) => string
}

/** What processes know together of lanes, beside their connections. Nothing waits for the store. */
export interface LaneMemory {
  /** The pace of a lane; null for none. */
  readonly paceOf: (lane: string) => Pace | null
  /** Sets the pace of a lane from a time on; null for none. */
  readonly setPace: (lane: string, pace: Pace | null, at: number) => void
  /** Takes the turn of a message at the lane's pace; otherwise returns when to ask again. */
  readonly take: (lane: string, now: number) => number | null
  /** When rejections of a kind came. */
  readonly marksOf: (lane: string, kind: string) => ReadonlyArray<number>
  readonly setMarks: (lane: string, kind: string, times: ReadonlyArray<number>) => void
  /** Whether servers of a lane, from any source, stated that connections must be encrypted. */
  readonly isEncrypted: (lane: string, now: number) => boolean
  /** What servers of a lane stated of their limits. */
  readonly statedOf: (lane: string, now: number) => StatedLimits
  /** What an operator set instead of the rules of a lane, or of a provider; null for nothing. */
  readonly overrideOf: (lane: string, now: number) => LaneOverride | null
  /**
   * The suspension of a lane that could not be reached several times in a row: until when, and whether it accepted a message
   * within a day. Null for none.
   */
  readonly unreached: (lane: string, now: number) => Unreached | null
  /** When a lane last accepted a message of any process, epoch milliseconds; 0 where that is not known. */
  readonly acceptedAt: (lane: string) => number
  /** Ends it before its time. */
  readonly reach: (lane: string, now: number) => void
  /** Ends the slow start of a lane, from all sources where it names none. */
  readonly restore: (lane: string, now: number) => void
  /** Names the sites of addresses, as all processes do. */
  readonly sites: SiteNames
  /** Reads what other processes changed. */
  readonly refresh: Effect.Effect<void, Unavailable>
}

/** Gives processes their shares. */
export interface LaneSharesShape {
  /** Null where a process has lanes to itself. */
  readonly memory: LaneMemory | null
  readonly share: (lane: string, bounds: LaneBounds, listener: LaneListener) => LaneShare
}

/** The share of a process that has lanes to itself. */
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

/** Where transports get their shares; by default each process has all. */
export const LaneShares = Context.Reference<LaneSharesShape>("svc/kernel/LaneShares", {
  defaultValue: () => ({ memory: null, share: wholeShare })
})
