/**
 * Events that the customer's systems report of people (public-api, Events).
 *
 * @module
 */
import type { ContactWrite } from "./ContactInput.ts"
import type { Json } from "../shared/Json.ts"
import type { Code } from "../shared/Problem.ts"

/** What can be said of an event: stored, on a person's timeline, or nobody's. */
export const eventStatuses = ["Accepted", "Processed", "Failed"] as const

/** How far an event is. */
export type EventStatus = (typeof eventStatuses)[number]

/** By what an event names its person, so that erasing a person finds it before it is on a timeline. */
export interface EventPerson {
  readonly contactId: string | null
  readonly externalId: string | null
  /** Normalized. */
  readonly email: string | null
}

/** An event that is valid in itself, on its way to a person's timeline. */
export interface PendingEvent {
  /** The id it has on the timeline. */
  readonly id: string
  /** The customer's own, unique in the account. */
  readonly eventId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly properties: Readonly<Record<string, Json>>
  /** The person as given; its rules are checked when the person is found or created. */
  readonly contact: ContactWrite
  readonly person: EventPerson
  /** About how many characters contact and properties have. */
  readonly size: number
}

/** An event as the operator sees it. */
export interface EventSummary {
  readonly id: string
  readonly eventId: string
  readonly name: string
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly status: EventStatus
  /** Why it is Failed, else null. */
  readonly failure: Code | null
  /** Whose timeline it is on, once it is Processed. */
  readonly contactId: string | null
}

/** Where a contact event comes from: the customer's systems, a connected store, or the service itself. */
export type ContactEventSource = "Api" | "Store" | "Service"

/** Something that happened to a contact. */
export interface ContactEvent {
  readonly accountId: string
  readonly contactId: string
  /** Also the id of its entry on the timeline, which has each once. */
  readonly id: string
  /** Such as `user.signed_up` or `order.paid`. */
  readonly name: string
  readonly properties: Readonly<Record<string, Json>>
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly source: ContactEventSource
}
