/**
 * Events of connected stores as they were received: those that were accepted, by their ids, and those that were not, with
 * the reason and what is needed to replay them.
 *
 * @module
 */
import type { Code } from "../shared/Problem.ts"

/** Whether an event was accepted. */
export const receivedStatuses = ["Accepted", "Failed"] as const

/** Whether an event was accepted. */
export type ReceivedStatus = (typeof receivedStatuses)[number]

/** An event that a store sent. */
export interface ReceivedEvent {
  /** The store's id of the event; of a platform's webhook, or an event without a valid id, a digest of its content. */
  readonly eventId: string
  /** The name of the event, or the topic of the webhook; null for one that an earlier version received. */
  readonly name: string | null
  readonly status: ReceivedStatus
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** Why it was not accepted, a code of the catalogue; null for an accepted one. */
  readonly code: Code | null
  /** The field that the reason is about; null where it is about the whole event. */
  readonly field: string | null
  /** Whether it can be replayed: it was not accepted, and its content is kept. */
  readonly isKept: boolean
}

/** What is kept of an event for a replay. */
export interface KeptEvent {
  readonly eventId: string
  readonly name: string
  readonly receivedAt: number
  /** What the store sent, as JSON; null where it is too large or no JSON. */
  readonly given: string | null
}

/** An event that was not accepted. */
export interface FailedEvent extends KeptEvent {
  readonly code: Code
  readonly field: string | null
  /** The addresses in it, and its ids after `#`: it is erased with the data of a person who has one of them. */
  readonly people: ReadonlyArray<string>
}

/** The most events that are kept of a store because they were not accepted; the newest ones are. */
export const maxFailedEvents = 1_000
