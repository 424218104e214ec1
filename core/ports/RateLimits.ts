/**
 * Counts events in fixed windows that all nodes share, for limits that `ApiKeyStore.authenticate` does not count, such as those
 * on flow tokens and failed logins. A crash of the database may lose counts: they protect the service, and are not for billing.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** An amount to add to the window of a subject in an account. */
export interface Hit {
  readonly accountId: string
  /** What is counted, such as `flow:<id>`. */
  readonly subject: string
  /** The start of the window, epoch milliseconds. */
  readonly windowStart: number
  /** How much to add; 0 only reads the count. */
  readonly amount: number
}

/** A window with its count. */
export interface CountedWindow {
  /** Epoch milliseconds. */
  readonly windowStart: number
  readonly count: number
}

/** The port of shared counts in fixed windows. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Adds each hit to its window and returns the windows' new counts, in order, in one statement. */
    readonly count: (hits: ReadonlyArray<Hit>) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** The windows of a subject that started at `since` or later and have a count other than 0, oldest first. */
    readonly windows: (
      accountId: string,
      subject: string,
      since: number
    ) => Effect.Effect<ReadonlyArray<CountedWindow>, Unavailable>
    /** Deletes windows that started before `before`, at most `limit`; returns how many. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/RateLimits") {}
