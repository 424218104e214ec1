/**
 * Counts in fixed windows that all nodes share, for what is not counted by `ApiKeyStore.authenticate`: flow tokens,
 * failed logins. Counts may be lost with a crash of the store: they protect, they do not account.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** Something counted: who, what, and in which window. */
export interface Hit {
  readonly accountId: string
  /** What is counted, such as `flow:<id>`. */
  readonly subject: string
  /** Start of the window, epoch milliseconds. */
  readonly windowStart: number
  /** How much to add; 0 only reads. */
  readonly amount: number
}

/** The port of shared counts in fixed windows. */
export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** Adds each hit to its window and answers the windows' counts afterwards, in order, in one statement. */
    readonly count: (hits: ReadonlyArray<Hit>) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** Removes windows that started before `before`, at most `limit`; answers how many went. */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/RateLimits") {}
