/**
 * Brings the times of an email's happenings to the contact that has the address.
 *
 * @module
 */
import { Effect } from "effect"
import { ContactStore } from "../../ports/ContactStore.ts"
import type { EmailEvent, EmailEventType } from "../../model/EmailEvent.ts"

/** The time of a contact each kind of happening moves forward. */
const fields = {
  "email.sent": "lastEmailedAt",
  "email.opened": "lastOpenAt",
  "email.clicked": "lastClickAt"
} as const satisfies Partial<Record<EmailEventType, string>>

const isActivity = (event: EmailEvent): event is EmailEvent & { readonly type: keyof typeof fields } =>
  event.type in fields

/** A function that moves `lastEmailedAt`, `lastOpenAt` and `lastClickAt` of the contacts forward, never back. */
export const makeContactActivity = Effect.map(
  ContactStore,
  (store) => (events: ReadonlyArray<EmailEvent>) =>
    Effect.forEach(
      Map.groupBy(events.filter(isActivity), (event) => event.accountId),
      ([accountId, group]) =>
        store.touch(
          accountId,
          group.map(({ at, email, type }) => ({ email, field: fields[type], at }))
        ),
      { discard: true }
    )
)
