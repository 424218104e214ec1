/**
 * Counts the emails that an account sends in a day, for its daily cap.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** A request to send `wanted` emails of an account in a day. */
export interface QuotaRequest {
  readonly accountId: string
  /** The day in UTC, `YYYY-MM-DD`. */
  readonly day: string
  readonly wanted: number
  /** The most the account may send in the day; null for no limit. */
  readonly limit: number | null
}

/** The port of daily counts. */
export class SendQuota extends Context.Service<
  SendQuota,
  {
    /**
     * Counts the emails that the limit allows and returns how many of each request, in order; in the caller's transaction,
     * one statement. Concurrent calls never exceed the limit together. An account is given once in a call.
     */
    readonly take: (
      requests: ReadonlyArray<QuotaRequest>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** Deletes the counts of days before `day`. */
    readonly prune: (day: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/SendQuota") {}
