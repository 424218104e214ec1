/**
 * Reads the counts of emails, which follow every change of what they count: an adapter may keep them as counters or count
 * when it is asked.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { CountDimension, CountUnit, EmailCount } from "../model/EmailCount.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Which counts are wanted. */
export interface EmailCountQuery {
  readonly by: CountDimension
  readonly unit: CountUnit
  /** The beginning of the first hour or day, epoch milliseconds. */
  readonly since: number
  /** Exclusive, epoch milliseconds. */
  readonly until: number
}

/** The port of the counts of emails. */
export class EmailCountStore extends Context.Service<
  EmailCountStore,
  {
    /**
     * The counts of an account's emails that are not 0, in no order, as `core/model/EmailCount.ts: countedFacts` and
     * `countedKeys` say, with at most `maxCountKeys` keys and `otherKey`. Erased with a person are the counts of what the
     * person got. Those of addresses and tags that retention erased may be left out.
     */
    readonly count: (
      accountId: string,
      query: EmailCountQuery
    ) => Effect.Effect<ReadonlyArray<EmailCount>, Unavailable>
    /** Adds at most `limit` changes, which `count` reads one by one, to the counters; returns how many it added. */
    readonly fold: (limit: number) => Effect.Effect<number, Unavailable>
    /** Deletes counters of hours, or of days, before a time (epoch milliseconds), at most `limit`; returns how many. */
    readonly prune: (unit: CountUnit, before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/EmailCountStore") {}
