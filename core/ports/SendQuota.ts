/**
 * How many emails an account sent in a day, for its daily cap.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../shared/Problem.ts"

/** A wish to send `wanted` emails of an account in a day. */
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
     * Counts what is granted and answers how many of each wish are, in order; in the caller's transaction, one
     * statement. Never beyond the limit, whoever asks at the same time. An account is named once in a call.
     */
    readonly take: (
      requests: ReadonlyArray<QuotaRequest>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** Deletes the counts of days before `day`. */
    readonly prune: (day: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/SendQuota") {}
