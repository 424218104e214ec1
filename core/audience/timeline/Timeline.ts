/**
 * What the service itself records of a contact's consent (public-api, Timeline events created by the service).
 *
 * @module
 */
import type { ContactEvent } from "../../model/Event.ts"
import type { ConsentEntry } from "../../model/Consent.ts"

/** The happenings that changes of consent are: `contact.subscribed` where consent became Subscribed. */
export const consentHappenings = (
  accountId: string,
  consents: ReadonlyArray<ConsentEntry>
): ReadonlyArray<ContactEvent> =>
  consents.flatMap(({ at, contactId, from, id, to }) =>
    to === "Subscribed" && from !== "Subscribed"
      ? [
          {
            accountId,
            contactId,
            id,
            name: "contact.subscribed",
            properties: {},
            occurredAt: at,
            source: "Service"
          }
        ]
      : []
  )
