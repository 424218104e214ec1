/**
 * Divides the concurrency limits of lanes between processes.
 *
 * @module
 */
import { Context } from "effect"
import {
  type Feedback,
  isProven,
  type LaneBounds,
  type LaneState,
  learned,
  newLane,
  widthAt
} from "../model/Lane.ts"

/** A process's share of a lane. All times are epoch milliseconds. */
export interface LaneShare {
  /** How many connections the process may have now. */
  readonly places: (now: number) => number
  /** The concurrency limit of the lane, over all processes. */
  readonly width: (now: number) => number
  /** Whether connections that are open may still deliver a message. */
  readonly isHeld: (now: number) => boolean
  /** Before when it is of no use to ask for a place again; null where that is not known. */
  readonly fullUntil: (now: number) => number | null
  readonly isProven: (now: number) => boolean
  /** Until when the lane is suspended; null when it is not. */
  readonly suspendedUntil: (now: number) => number | null
  readonly learn: (feedback: Feedback, now: number) => void
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

/** Gives processes their shares. */
export interface LaneSharesShape {
  readonly share: (lane: string, bounds: LaneBounds, listener: LaneListener) => LaneShare
}

/** The share of a process that has lanes to itself. */
export const wholeShare: LaneSharesShape["share"] = (_lane, bounds) => {
  let state: LaneState = newLane(bounds)
  const width = (now: number) => widthAt(state, bounds, now)
  return {
    places: width,
    width,
    isHeld: () => true,
    fullUntil: () => null,
    isProven: (now) => isProven(state, now),
    suspendedUntil: (now) => (state.suspendedUntil > now ? state.suspendedUntil : null),
    learn: (feedback, now) => {
      state = learned(state, feedback, bounds, now)
    },
    use: () => undefined
  }
}

/** Where transports get their shares; by default each process has all. */
export const LaneShares = Context.Reference<LaneSharesShape>("svc/kernel/LaneShares", {
  defaultValue: () => ({ share: wholeShare })
})
