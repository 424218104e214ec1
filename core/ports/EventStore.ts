/**
 * Stores reported events, each once by its own id, and queues them until they are on a contact's timeline.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EventSource, EventStatus, EventSummary, PendingEvent } from "../model/Event.ts"
import type { Among, Page, PageRequest, TimeRange } from "../shared/Page.ts"
import type { Code, Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { WriteConflict } from "./Transaction.ts"

/** A processed event, with the reason if it failed. */
export interface ProcessedEvent {
  readonly id: string
  readonly failure: Code | null
}

/** Which events a list shows. A range of times applies to their acceptance. */
export interface EventFilter extends TimeRange {
  readonly name?: Among<string>
  readonly status?: Among<EventStatus>
  readonly source?: Among<EventSource>
  /** Only events on the timelines of these contacts. */
  readonly contactId?: Among<string>
  /** The id of an event, given by the customer or the service, or the code of a failure. */
  readonly q?: string | null
}

/** The people whose events are erased, by any of these identities. */
export interface EventOwners {
  readonly contactIds: ReadonlyArray<string>
  readonly externalIds: ReadonlyArray<string>
  /** Normalized. */
  readonly emails: ReadonlyArray<string>
}

/** The port of events. */
export class EventStore extends Context.Service<
  EventStore,
  {
    /**
     * Appends events to the account's queue, in the given order and in the caller's transaction. An event whose `eventId` the
     * account already has is left out; of several with the same `eventId` the first wins, even with concurrent writers. Returns
     * the ids of the added events.
     */
    readonly insert: (
      accountId: string,
      events: ReadonlyArray<PendingEvent>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Locks the account's queue until the caller's transaction ends, so that events are processed in order; another caller
     * waits. Returns the first events, at most `limit`, and no further ones once their sizes add up to `maxSize`.
     */
    readonly claimBatch: (
      accountId: string,
      limit: number,
      maxSize: number
    ) => Effect.Effect<ReadonlyArray<PendingEvent>, Unavailable>
    /**
     * Removes events from the queue, in the transaction that claimed them. For a failed event, the reason and the identifiers of
     * its person are kept, but not its contact and properties. `WriteConflict` if an event is no longer queued because its person
     * was erased; then nothing is changed.
     */
    readonly complete: (
      accountId: string,
      events: ReadonlyArray<ProcessedEvent>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * An account's events, newest first by id. An event is Processed once it is completed without a failure. Its contact is the
     * one whose timeline has an entry with the event's id.
     */
    readonly list: (
      accountId: string,
      filter: EventFilter,
      page: PageRequest
    ) => Effect.Effect<Page<EventSummary>, Unavailable>
    /** The account's events with those ids that exist, in no order. */
    readonly find: (
      accountId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<EventSummary>, Unavailable>
    /** The number of the account's events whose ids were made on each of the days, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Erases people's events, queued or processed, in one statement. Must run before their timelines are erased, because these
     * identify the processed events.
     */
    readonly erase: (accountId: string, owners: EventOwners) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/EventStore") {}
