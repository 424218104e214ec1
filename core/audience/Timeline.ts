/**
 * The timeline events the service itself records of contacts (public-api, Timeline events created by the service).
 *
 * @module
 */
import type { TimelineEntry } from "../ports/TimelineStore.ts"
import type { ConsentEntry } from "./Consent.ts"

/** The source of what the service itself records. */
export const serviceSource = "Service"

/** The events that changes of consent are: `contact.subscribed` where consent became Subscribed. */
export const consentEvents = (consents: ReadonlyArray<ConsentEntry>): ReadonlyArray<TimelineEntry> =>
  consents.flatMap(({ at, contactId, from, id, to }) =>
    to === "Subscribed" && from !== "Subscribed"
      ? [
          {
            id,
            contactId,
            name: "contact.subscribed",
            occurredAt: at,
            properties: {},
            source: serviceSource
          }
        ]
      : []
  )
