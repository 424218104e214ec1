/**
 * Records email events: updates the activity of contacts, marks deliveries whose recipients complained, and creates webhook
 * notifications.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { Notifications } from "../../webhooks/Notifications.ts"
import { ContactStore } from "../../ports/ContactStore.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { EmailEvent, EmailEventType } from "../../model/EmailEvent.ts"
import type { Delivery } from "../../model/Submission.ts"

/**
 * The contact's time that each type of event moves forward, and never back. The first open or click is not included, since a
 * program may have made it.
 */
const activityFields = {
  "email.sent": "lastEmailedAt"
} as const satisfies Partial<Record<EmailEventType, string>>

const isActivity = (
  event: EmailEvent
): event is EmailEvent & { readonly type: keyof typeof activityFields } => event.type in activityFields

/** The event of a delivery; empty if retention has removed the recipient. */
export const eventOf = (
  { accountId, email, id, submissionId }: Delivery,
  {
    reason = null,
    type,
    url = null,
    visitor = null
  }: Pick<EmailEvent, "type"> & Partial<Pick<EmailEvent, "reason" | "url" | "visitor">>,
  at: number
): ReadonlyArray<EmailEvent> =>
  email === "" ? [] : [{ accountId, deliveryId: id, submissionId, type, email, url, visitor, reason, at }]

/** Records email events. */
export class EmailEvents extends Context.Service<
  EmailEvents,
  {
    /**
     * Records events in the caller's transaction. Code that moves a delivery, or counts a first open or click, calls it in the
     * transaction of that write, so that neither exists without the other. Needs a fixed number of statements for each
     * account.
     */
    readonly record: (events: ReadonlyArray<EmailEvent>) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/sending/EmailEvents", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const notifications = yield* Notifications
    const submissions = yield* SubmissionStore
    return {
      record: Effect.fn("EmailEvents.record")(function* (events) {
        const activity = Map.groupBy(events.filter(isActivity), (event) => event.accountId)
        for (const [accountId, group] of activity) {
          yield* contacts.touch(
            accountId,
            group.map(({ at, email, type }) => ({ email, field: activityFields[type], at }))
          )
        }
        const complained = events.filter(({ type }) => type === "email.complained")
        for (const [at, group] of Map.groupBy(complained, (event) => event.at)) {
          const refs = group.map(({ accountId, deliveryId: id }) => ({ accountId, id }))
          yield* submissions.engage("complained", refs, at)
        }
        yield* notifications.create(events)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(EmailEvents, EmailEvents.make).pipe(Layer.provide(Notifications.layer))
}
