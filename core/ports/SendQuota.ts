/**
 * Counts the emails that an account sends in a day, for its daily cap, those that wait to be sent, for the bound on its
 * queue, and those that were held for review.
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

/** A request for room in an account's queue. */
export interface QueueRequest {
  readonly accountId: string
  readonly wanted: number
  /** The most emails that may wait. */
  readonly most: number
}

/** The answer to a request for room in a queue. */
export interface QueueRoom {
  /** For how many of the wanted there is room; they are counted. */
  readonly granted: number
  /** When the queue was last counted with that bound, epoch milliseconds; null where it never was. */
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

/** The port of daily counts, of counts of queues and of emails held for review. */
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
    /** How many emails of an account were granted in a day. */
    readonly taken: (accountId: string, day: string) => Effect.Effect<number, Unavailable>
    /**
     * Counts the emails for which an account's queue has room, in the caller's transaction; one statement, which scans no
     * emails. The count grows until `release` or `recount`. Concurrent calls never exceed the bound together.
     */
    readonly reserve: (request: QueueRequest) => Effect.Effect<QueueRoom, Unavailable>
    /** Gives back room that was reserved and is not used. */
    readonly release: (accountId: string, count: number) => Effect.Effect<void, Unavailable>
    /**
     * Locks an account's queue until the caller's transaction ends, so that no other call reserves room, and returns when it was last
     * counted with that bound, as `QueueRoom` says.
     */
    readonly lock: (accountId: string, most: number) => Effect.Effect<number | null, Unavailable>
    /** Replaces the count of an account's queue, which the caller's transaction has locked. */
    readonly recount: (count: QueueCount) => Effect.Effect<void, Unavailable>
    /** How many emails of each of an account's sources were held for review, in order. */
    readonly held: (
      accountId: string,
      sourceIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Counts emails as held until `most` of their source were, and returns how many of each request, in order; in the
     * caller's transaction, one statement. Concurrent calls never exceed `most` together. A source is given once in a call.
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
