/**
 * Events of connected stores as received. Of accepted events the ids are stored; of those that were not accepted, the reason and
 * what a replay needs.
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
  /** The store's id of the event. For a platform's webhook, or an event without a valid id, a digest of its content. */
  readonly eventId: string
  /** The name of the event, or the topic of the webhook; null if an earlier version received it. */
  readonly name: string | null
  readonly status: ReceivedStatus
  /** Epoch milliseconds. */
  readonly receivedAt: number
  /** Why it was not accepted, an error code; null if it was accepted. */
  readonly code: Code | null
  /** The field that the reason concerns; null if it concerns the whole event. */
  readonly field: string | null
  /** Whether it can be replayed: it was not accepted, and its content is kept. */
  readonly isKept: boolean
}

/** The stored part of an event that a replay needs. */
export interface KeptEvent {
  readonly eventId: string
  readonly name: string
  readonly receivedAt: number
  /** What the store sent, as JSON; null if it is too large or not JSON. */
  readonly given: string | null
}

/** An event that was not accepted. */
export interface FailedEvent extends KeptEvent {
  readonly code: Code
  readonly field: string | null
  /** The addresses in it, and its ids prefixed with `#`. It is erased with the data of a person who has one of them. */
  readonly people: ReadonlyArray<string>
}

/** The most events per store that are stored because they were not accepted; the newest are kept. */
export const maxFailedEvents = 1_000
