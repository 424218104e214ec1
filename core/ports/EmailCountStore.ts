/**
 * Reads counts of emails, which reflect every change at once. An adapter may maintain them as counters or count on demand.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { CountDimension, CountUnit, EmailCount } from "../model/EmailCount.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which counts to read. */
export interface EmailCountQuery {
  readonly by: CountDimension
  readonly unit: CountUnit
  /** The start of the first hour or day, epoch milliseconds. */
  readonly since: number
  /** Exclusive, epoch milliseconds. */
  readonly until: number
}

/** The port of the counts of emails. */
export class EmailCountStore extends Context.Service<
  EmailCountStore,
  {
    /**
     * The counts of an account's emails that are not 0, in no order, as defined by `core/model/EmailCount.ts: countedFacts` and
     * `countedKeys`, with at most `maxCountKeys` keys and `otherKey`. When a person is erased, the counts of what the person got
     * are erased too. Counts of addresses and tags that retention erased may be missing.
     */
    readonly count: (
      accountId: string,
      query: EmailCountQuery
    ) => Effect.Effect<ReadonlyArray<EmailCount>, Unavailable>
    /** Adds at most `limit` changes to the counters; returns how many. Until then `count` reads each change separately. */
    readonly fold: (limit: number) => Effect.Effect<number, Unavailable>
    /** Deletes counters of hours or days before a time (epoch milliseconds), at most `limit`; returns how many. */
    readonly prune: (unit: CountUnit, before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/EmailCountStore") {}
