/**
 * Stores the visits of deliveries: the latest ones, and counts of all.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryVisits, Visit } from "../model/Visit.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { DeliveryRef } from "./SubmissionStore.ts"

/** The clicks in an email of a flow or a campaign, except those of machines. */
export interface ReaderClicks {
  readonly deliveryId: string
  /** The flow, or null; exactly one of `flowId` and `campaignId` is null. */
  readonly flowId: string | null
  readonly campaignId: string | null
  readonly contactId: string
  /** Epoch milliseconds, in order; at least one. */
  readonly clicks: ReadonlyArray<number>
}

/** How many deliveries were opened and clicked, each counted once. */
export interface VisitedCounts {
  /** Opened by a person, dated by the first visit that was not a machine's. */
  readonly opened: number
  readonly clicked: number
  /** Opened by a person or a program, without a visitor known to be a person; dated like `opened`. */
  readonly openedUnknown: number
  readonly clickedUnknown: number
  /** Opened only by machines, dated by the first visit. */
  readonly openedByMachines: number
  readonly clickedByMachines: number
}

/** The port of visits. */
export class VisitStore extends Context.Service<
  VisitStore,
  {
    /**
     * The visits of the deliveries, each once, in no order; those of a delivery without any are empty. One statement. Locked
     * until the caller's transaction ends, together with the deliveries: the result is current, and no delivery is erased
     * meanwhile. The deliveries must exist; an erased one is left out.
     */
    readonly lock: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** Replaces the stored visits of deliveries, in the caller's transaction. */
    readonly put: (visits: ReadonlyArray<DeliveryVisits>) => Effect.Effect<void, Unavailable>
    /** The stored visits of the deliveries, in no order. */
    readonly of: (
      refs: ReadonlyArray<DeliveryRef>
    ) => Effect.Effect<ReadonlyArray<DeliveryVisits>, Unavailable>
    /** The clicks of contacts in emails of flows and campaigns, by delivery, in no order. One read. */
    readonly readerClicks: (
      accountId: string,
      contactIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ReaderClicks>, Unavailable>
    /** At most `limit` ids of contacts who have `readerClicks`, sorted, after the id `after`; null to begin with the first. */
    readonly readers: (
      accountId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /** The latest `readerOpenedAt` and `readerClickedAt` of all deliveries to each address, in no order. */
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
    /** The stored visits of the latest deliveries to an address, of at most `limit`, in no order. One statement. */
    readonly visitsTo: (
      accountId: string,
      email: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Visit>, Unavailable>
    /** The opened and clicked deliveries of each of the days, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<VisitedCounts>, Unavailable>
    /** The opened and clicked deliveries of a flow's emails. */
    readonly countOfFlow: (accountId: string, flowId: string) => Effect.Effect<VisitedCounts, Unavailable>
    /** Deletes the visits of the deliveries, since they name networks; times and counts stay. */
    readonly eraseVisits: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
    /** Deletes everything stored about the visits of the deliveries. */
    readonly erase: (refs: ReadonlyArray<DeliveryRef>) => Effect.Effect<void, Unavailable>
    /**
     * Deletes visits made before a time (epoch milliseconds), oldest first, of at most `limit` deliveries; the counts stay.
     * Returns the number of deliveries.
     */
    readonly prune: (before: number, limit: number) => Effect.Effect<number, Unavailable>
  }
>()("svc/ports/VisitStore") {}
