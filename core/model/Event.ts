/**
 * Events that customers' systems report about people, and the events on a contact's timeline (docs/contributing/public-api.md
 * "Events").
 *
 * @module
 */
import type { ContactWrite } from "./ContactInput.ts"
import type { Json } from "../shared/Json.ts"
import type { Code } from "../shared/Problem.ts"

/** The states of a reported event: stored, on a contact's timeline, or failed. */
export const eventStatuses = ["Accepted", "Processed", "Failed"] as const

/** The state of a reported event. */
export type EventStatus = (typeof eventStatuses)[number]

/** Who reported an event: a program with an API key, or a person who uses the management API. */
export const eventSources = ["Api", "Ui"] as const

/** Who reported an event. */
export type EventSource = (typeof eventSources)[number]

/** The identifiers of an event's person, by which an erasure finds the event before it is on a timeline. */
export interface EventPerson {
  readonly contactId: string | null
  readonly externalId: string | null
  /** Normalized. */
  readonly email: string | null
}

/** A validated event, queued for a contact's timeline. */
export interface PendingEvent {
  /** Its id, also on the timeline. */
  readonly id: string
  /** The customer's id of the event, unique in the account. */
  readonly eventId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: Readonly<Record<string, Json>>
  /** The person as submitted, validated when the contact is found or created. */
  readonly contact: ContactWrite
  readonly person: EventPerson
  readonly source: EventSource
  /** The approximate number of characters of contact and properties. */
  readonly size: number
}

/** A reported event as lists show it. */
export interface EventSummary {
  readonly id: string
  readonly eventId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly status: EventStatus
  readonly source: EventSource
  /** The code of the failure; null unless the event is Failed. */
  readonly failure: Code | null
  /** The contact whose timeline contains it; null until it is Processed. */
  readonly contactId: string | null
}

/** The origin of a contact event: the customer's systems, a connected store, or the service itself. */
export type ContactEventSource = "Api" | "Store" | "Service"

/** An event on a contact's timeline, which may start flows. */
export interface ContactEvent {
  readonly accountId: string
  readonly contactId: string
  /** Its id, also of its timeline entry; each id is recorded once. */
  readonly id: string
  /** The name, such as `user.signed_up` or `order.paid`. */
  readonly name: string
  readonly properties: Readonly<Record<string, Json>>
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly source: ContactEventSource
}
