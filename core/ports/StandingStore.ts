/**
 * Stores the standing of accounts, and the counts from which it is judged.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Bucket, BucketChange, BucketSpan, Observation, Standing } from "../model/Standing.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A request to send marketing on one of the days after a hold. */
export interface RampRequest {
  readonly accountId: string
  /** The number of days since the hold ended, from 0. */
  readonly day: number
  readonly wanted: number
  /** The most emails on that day. */
  readonly limit: number
}

/** The port of standing. */
export class StandingStore extends Context.Service<
  StandingStore,
  {
    /** Adds counts to the buckets of their hours and days, in the caller's transaction; one statement. */
    readonly add: (changes: ReadonlyArray<BucketChange>) => Effect.Effect<void, Unavailable>
    /** The buckets of accounts that start at `since` (epoch milliseconds) or later, in no order. */
    readonly buckets: (
      accountIds: ReadonlyArray<string>,
      span: BucketSpan,
      since: number
    ) => Effect.Effect<ReadonlyArray<Bucket>, Unavailable>
    /** The providers with complaints on days that start at `since` or later, over all accounts. */
    readonly reporters: (since: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** Stores observations, replacing those of the same provider, domain and day. */
    readonly observe: (observations: ReadonlyArray<Observation>) => Effect.Effect<void, Unavailable>
    /** The observations of accounts from a day on, newest first. */
    readonly observations: (
      accountIds: ReadonlyArray<string>,
      since: string
    ) => Effect.Effect<ReadonlyArray<Observation>, Unavailable>
    /** The stored standing of accounts, in no order. An account whose standing was always Good has none. */
    readonly find: (accountIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Standing>, Unavailable>
    /** Stores the standing of an account. If the end of its last hold changed, the counts of `take` are deleted. */
    readonly save: (standing: Standing) => Effect.Effect<void, Unavailable>
    /** The accounts with counts in hours from `since` on, or whose standing is not Good. */
    readonly active: (since: number) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Counts marketing emails of an account with a stored standing on a day after its hold, and returns how many the limit
     * allows; in the caller's transaction, one statement. Concurrent calls never exceed the limit together. A day before the
     * latest one, given by a slow clock, counts as the latest.
     */
    readonly take: (request: RampRequest) => Effect.Effect<number, Unavailable>
    /** The number of accounts whose standing is not Good, by state. */
    readonly count: Effect.Effect<Readonly<Record<"Notice" | "Held", number>>, Unavailable>
    /** Deletes at most `limit` hours that start before `hours`, and days that start before `days`; returns how many. */
    readonly prune: (hours: number, days: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/StandingStore") {}
