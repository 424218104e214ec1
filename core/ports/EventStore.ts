/**
 * Events that customers' systems report: each once by its own id, in line until it is on a person's timeline.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EventStatus, EventSummary, PendingEvent } from "../model/Event.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import type { Code, Unavailable } from "../shared/Problem.ts"
import type { UtcDay } from "../shared/UtcDays.ts"
import type { WriteConflict } from "./Transaction.ts"

/** What an event's turn came to: nothing against it, or why it failed. */
export interface SettledEvent {
  readonly id: string
  readonly failure: Code | null
}

/** Which events a list shows; null for any. */
export interface EventFilter {
  readonly name: string | null
  readonly status: EventStatus | null
  /** Only those on this contact's timeline. */
  readonly contactId: string | null
}

/** Whose events are erased: by any of these. */
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
     * Adds events to the end of the account's line, in the order given and in the caller's transaction. One whose
     * `eventId` the account has already is left out; of several with the same, the first counts. Also against writers
     * at the same moment. Answers the ids of those added.
     */
    readonly insert: (
      accountId: string,
      events: ReadonlyArray<PendingEvent>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Takes the account's turn for the rest of the caller's transaction, so that events are processed in order: another
     * caller waits until that ends. Answers the first of the line, up to `limit`, and no more of them once those before
     * have `maxSize` together.
     */
    readonly takeTurn: (
      accountId: string,
      limit: number,
      maxSize: number
    ) => Effect.Effect<ReadonlyArray<PendingEvent>, Unavailable>
    /**
     * Takes events out of the line, in the transaction that took the turn. Of what failed, the reason is kept and by
     * what it named its person; contact and properties are not. `WriteConflict` when one is in line no more, since its
     * person was erased: then nothing is changed.
     */
    readonly settle: (
      accountId: string,
      events: ReadonlyArray<SettledEvent>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
    /**
     * An account's events, newest first by id. One is Processed once it is settled without failure; its contact is
     * the one whose timeline has an entry with the event's id.
     */
    readonly list: (
      accountId: string,
      filter: EventFilter,
      page: PageRequest
    ) => Effect.Effect<Page<EventSummary>, Unavailable>
    /** How many events the account has whose ids were made on each of those days, in order. */
    readonly countByDay: (
      accountId: string,
      days: ReadonlyArray<UtcDay>
    ) => Effect.Effect<ReadonlyArray<number>, Unavailable>
    /**
     * Removes people's events, wherever they are, in one statement: to be called before their timelines are erased, which
     * tell those that are processed.
     */
    readonly erase: (accountId: string, owners: EventOwners) => Effect.Effect<void, Unavailable>
  }
>()("svc/ports/EventStore") {}
