/**
 * Updates the activity times of contacts from email events.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { ContactStore } from "../../ports/ContactStore.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import type { EmailEvent, EmailEventType } from "../../model/EmailEvent.ts"

/** The time of a contact that each type of event moves forward. */
const fields = {
  "email.sent": "lastEmailedAt",
  "email.opened": "lastOpenAt",
  "email.clicked": "lastClickAt"
} as const satisfies Partial<Record<EmailEventType, string>>

const isActivity = (event: EmailEvent): event is EmailEvent & { readonly type: keyof typeof fields } =>
  event.type in fields

/** Updates the activity times of contacts. */
export class ContactActivity extends Context.Service<
  ContactActivity,
  {
    /** Moves `lastEmailedAt`, `lastOpenAt` and `lastClickAt` of the recipients forward, never back. */
    readonly touch: (events: ReadonlyArray<EmailEvent>) => Effect.Effect<void, Unavailable | WriteConflict>
  }
>()("svc/sending/ContactActivity") {
  static readonly layer = Layer.effect(
    ContactActivity,
    Effect.map(ContactStore, (store) =>
      ContactActivity.of({
        touch: Effect.fn("ContactActivity.touch")((events: ReadonlyArray<EmailEvent>) =>
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
      })
    )
  )
}
