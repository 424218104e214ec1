/**
 * Stores what standing is judged by, and the standing of accounts.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Bucket, BucketChange, BucketSpan, Observation, Standing } from "../model/Standing.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A request to send marketing in a day after a hold. */
export interface RampRequest {
  readonly accountId: string
  /** The days since the hold ended, from 0. */
  readonly day: number
  readonly wanted: number
  /** The most in that day. */
  readonly limit: number
}

/** The port of standing. */
export class StandingStore extends Context.Service<
  StandingStore,
  {
    /** Adds counts to the buckets of their hours and days, in the caller's transaction; one statement. */
    readonly add: (changes: ReadonlyArray<BucketChange>) => Effect.Effect<void, Unavailable>
    /** The buckets of accounts that begin at `since` (epoch milliseconds) or later, in no order. */
    readonly buckets: (
      accountIds: ReadonlyArray<string>,
      span: BucketSpan,
      since: number
    ) => Effect.Effect<ReadonlyArray<Bucket>, Unavailable>
    /** The providers of which complaints were counted in days that begin at `since` or later, of all accounts together. */
    readonly reporters: (since: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Stores observations in place of those of the same provider, domain and day. */
    readonly observe: (observations: ReadonlyArray<Observation>) => Effect.Effect<void, Unavailable>
    /** The observations of accounts from a day on, newest first. */
    readonly observations: (
      accountIds: ReadonlyArray<string>,
      since: string
    ) => Effect.Effect<ReadonlyArray<Observation>, Unavailable>
    /** The stored standing of accounts, in no order; none for an account that was never anything but good. */
    readonly find: (accountIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Standing>, Unavailable>
    /** Stores the standing of an account. Where its last hold ended at another time, what `take` counted is deleted. */
    readonly save: (standing: Standing) => Effect.Effect<void, Unavailable>
    /** The accounts that counted something in hours from `since` on, or whose standing is not good. */
    readonly active: (since: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Counts marketing of an account with a stored standing in a day after its hold, and returns how much of it the limit
     * allows; in the caller's transaction, one statement. Concurrent calls never exceed the limit together. A day before the
     * latest one, by a clock that is behind, counts as that.
     */
    readonly take: (request: RampRequest) => Effect.Effect<number, Unavailable>
    /** How many accounts have a standing that is not good, by state. */
    readonly count: Effect.Effect<Readonly<Record<"Notice" | "Held", number>>, Unavailable>
    /** Deletes at most `limit` hours that begin before `hours`, and days before `days`; returns how many. */
    readonly prune: (hours: number, days: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/StandingStore") {}
