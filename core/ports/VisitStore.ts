/**
 * Stores the visits of deliveries: the latest ones, and how many there were.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryVisits, Visit } from "../model/Visit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** The clicks in an email of a flow or a campaign that were not a machine's. */
export interface ReaderClicks {
  readonly deliveryId: string
  /** One of the two is null. */
  readonly flowId: string | null
  readonly campaignId: string | null
  readonly contactId: string
  /** Epoch milliseconds, in order; at least one. */
  readonly clicks: ReadonlyArray<number>
}

/** How many deliveries were opened and clicked, each counted once. */
export interface VisitedCounts {
  /** By a person, at the first visit that was not a machine's. */
  readonly opened: number
  readonly clicked: number
  /** By a person or a program, and by no visitor who is known to be a person, at the first visit that was not a machine's. */
  readonly openedUnknown: number
  readonly clickedUnknown: number
  /** By machines alone, at the first visit. */
  readonly openedByMachines: number
  readonly clickedByMachines: number
}

/** The port of visits. */
export class VisitStore extends Context.Service<
  VisitStore,
  {
    /**
     * The visits of those deliveries, each once, in no order; those of a delivery without any are empty. One statement.
     * Locked until the caller's transaction ends, with the deliveries: what is returned is the latest, and none of the
     * deliveries is erased meanwhile. The deliveries must exist; one that was erased is left out.
     */
    readonly lock: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** Replaces what is stored of deliveries, in the caller's transaction. */
    readonly put: (visits: ReadonlyArray<DeliveryVisits>) => Effect.Effect<void, Unavailable>
    /** What is stored of those deliveries, in no order. */
    readonly of: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** The clicks of contacts in emails of flows and campaigns, by delivery, in no order. One read. */
    readonly readerClicks: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ReaderClicks>, Unavailable>
    /** At most `limit` ids of contacts who have `readerClicks`, in their order, after the id `after`; null for the first. */
    readonly readers: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The latest `readerOpenedAt` and `readerClickedAt` of all deliveries to each of those addresses, in no order. */
    readonly latest: (
      accountId: string,
      emails: ReadonlyArray<string>
    ) => Effect.Effect<
      ReadonlyArray<{
        readonly email: string
        readonly openedAt: number | null
        readonly clickedAt: number | null
      }>,
      Unavailable
    >
    /** The visits that are kept of the latest deliveries to an address, of at most `limit`, in no order. One statement. */
    readonly visitsTo: (
      accountId: string,
      email: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Visit>, Unavailable>
    /** The deliveries of each of those days, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<VisitedCounts>, Unavailable>
    /** The deliveries of a flow's emails. */
    readonly countOfFlow: (accountId: string, flowId: string) => Effect.Effect<VisitedCounts, Unavailable>
    /** Deletes the visits of those deliveries, which name networks; times and counts stay. */
    readonly eraseVisits: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
    /** Deletes all that is stored of those deliveries. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
    /**
     * Deletes the visits made before a time (epoch milliseconds), the oldest first, of at most `limit` deliveries; the
     * counts stay. Returns of how many.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/VisitStore") {}
