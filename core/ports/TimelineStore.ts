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

/** One event of a contact. */
export interface TimelineEntry {
  readonly id: string
  readonly contactId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: { readonly [key: string]: Json }
  /** Where it came from, such as `Api` or `Service`. */
  readonly source: string
}

/** The statuses of an email that a server took. */
export const takenStatuses: ReadonlyArray<DeliveryStatus> = ["Sent", "Accepted", "Delivered"]

/** The entry of a campaign's email, when it was submitted. */
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
     * Adds entries, in the caller's transaction, if any. One that exists stays as it is, and one of a contact that does not
     * exist or is erased is left out, also during a concurrent erasure. Returns the ids of those added.
     *
     * @param written contacts that the caller's transaction has written and that are not erased: no other writer changes them
     *   before it ends, so they are neither looked up nor locked. By default none
     */
    readonly append: (
      accountId: string,
      entries: ReadonlyArray<TimelineEntry>,
      written?: ReadonlySet<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * A contact's entries, newest first by occurredAt, then by id. Among them is one of {@link campaignEmailEntry} for each email of
     * a campaign that a server took, which is not stored.
     */
    readonly list: (
      accountId: string,
      contactId: string,
      page: PageRequest
    ) => Effect.Effect<Page<TimelineEntry>, Unavailable>
    /** Deletes entries by their ids. One statement. */
    readonly remove: (accountId: string, ids: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Deletes all entries of contacts: part of erasing them. One statement. */
    readonly erase: (accountId: string, contactIds: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /** Deletes the entries of a store, by the property `storeId`, of those contacts: part of erasing the store. */
    readonly eraseStore: (
      accountId: string,
      contactIds: ReadonlyArray<string>,
      storeId: string
    ) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/TimelineStore") {}
