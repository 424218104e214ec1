/**
 * Counts emails per account: those sent in a day, for the daily cap; those waiting to be sent, for the limit of the queue; and
 * those that were held for review.
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
  /** The most emails that the account may send on the day; null for no limit. */
  readonly limit: number | null
}

/** A request to reserve room in an account's queue. */
export interface QueueRequest {
  readonly accountId: string
  readonly wanted: number
  /** The most emails that may wait. */
  readonly most: number
}

/** The result of a request for room in a queue. */
export interface QueueRoom {
  /** The number of wanted emails for which there is room; these are counted. */
  readonly granted: number
  /** When the queue was last counted with the same limit, epoch milliseconds; null if never. */
  readonly countedAt: number | null
}

/** A count of an account's queue. */
export interface QueueCount {
  readonly accountId: string
  readonly most: number
  readonly waiting: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** A request to hold emails of a source, such as a flow, for review. */
export interface HoldRequest {
  readonly sourceId: string
  readonly wanted: number
}

/** The port of daily counts, queue counts, and emails held for review. */
export class SendQuota extends Context.Service<
  SendQuota,
  {
    /**
     * Counts the emails that the limit allows and returns their number for each request, in order; in the caller's transaction,
     * one statement. Concurrent calls never exceed the limit together. A call names each account at most once.
     */
    readonly take: (
      requests: ReadonlyArray<QuotaRequest>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** The number of emails of an account that were granted for a day. */
    readonly taken: (accountId: string, day: string) => Effect.Effect<number, Unavailable>
    /**
     * Counts the emails for which an account's queue has room, in the caller's transaction; one statement, which scans no emails.
     * The count only decreases by `release` or `recount`. Concurrent calls never exceed the limit together.
     */
    readonly reserve: (request: QueueRequest) => Effect.Effect<QueueRoom, Unavailable>
    /** Releases room that was reserved and is not used. */
    readonly release: (accountId: string, count: number) => Effect.Effect<void, Unavailable>
    /**
     * Locks an account's queue until the caller's transaction ends, so that no other call reserves room. Returns when the queue
     * was last counted with that limit, like `QueueRoom.countedAt`.
     */
    readonly lock: (accountId: string, most: number) => Effect.Effect<number | null, Unavailable>
    /** Replaces the count of an account's queue, which the caller's transaction has locked. */
    readonly recount: (count: QueueCount) => Effect.Effect<void, Unavailable>
    /** The number of emails held for review, for each of an account's sources, in order. */
    readonly held: (
      accountId: string,
      sourceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Counts emails as held until `most` emails of their source were held, and returns the number for each request, in order; in
     * the caller's transaction, one statement. Concurrent calls never exceed `most` together. A call names each source at most
     * once.
     */
    readonly hold: (
      accountId: string,
      most: number,
      requests: ReadonlyArray<HoldRequest>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /** Deletes the counts of days before `day`. */
    readonly prune: (day: string) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/SendQuota") {}
