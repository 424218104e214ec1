/**
 * Stores the timelines of contacts, which flows and segments read.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { DeliveryStatus } from "../model/DeliveryStatus.ts"
import type { Json } from "../shared/Json.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** A timeline entry: one event of a contact. */
export interface TimelineEntry {
  readonly id: string
  readonly contactId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: { readonly [key: string]: Json }
  /** The origin, such as `Api` or `Service`. */
  readonly source: string
}

/** The statuses of an email that a server accepted. */
export const takenStatuses: ReadonlyArray<DeliveryStatus> = ["Sent", "Accepted", "Delivered"]

/** The timeline entry of a campaign's email, at the time of its submission. */
export const campaignEmailEntry = ({
  campaignId,
  contactId,
  decidedAt,
  deliveryId
}: {
  readonly campaignId: string
  readonly contactId: string
  readonly decidedAt: number
  readonly deliveryId: string
}): TimelineEntry => ({
  id: deliveryId,
  contactId,
  name: "email.sent",
  occurredAt: decidedAt,
  properties: { messageId: deliveryId, campaignId },
  source: "Service"
})

/** The port of timelines. */
export class TimelineStore extends Context.Service<
  TimelineStore,
  {
    /**
     * Adds entries, in the caller's transaction, if any. An entry that exists stays unchanged. An entry of a contact that does
     * not exist or is erased is left out, even during a concurrent erasure. Returns the ids of the added entries.
     *
     * @param written contacts that the caller's transaction has written and that are not erased. No other writer can change them
     *   before it ends, so they are neither looked up nor locked. By default none
     */
    readonly append: (
      accountId: string,
      entries: ReadonlyArray<TimelineEntry>,
      written?: ReadonlySet<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * A contact's entries, newest first by occurredAt, then by id. They include a {@link campaignEmailEntry}, which is not
     * stored, for each email of a campaign that a server accepted.
     */
    readonly list: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TimelineEntry>, Unavailable>
    /** Deletes entries by their ids. One statement. */
    readonly remove: (accountId: string, ids: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Deletes all entries of contacts, as part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Deletes those entries of the contacts that belong to a store, by the property `storeId`, as part of erasing the store. */
    readonly eraseStore: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      storeId: string
    ) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/TimelineStore") {}
