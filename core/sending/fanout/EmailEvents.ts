/**
 * Records email events: updates the activity of contacts, marks deliveries whose recipients complained, and creates the
 * notifications of webhooks.
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
 * The time of a contact that each type of event moves forward, never back. The first open or click is not among them: a
 * program may have made it.
 */
const activityFields = {
  "email.sent": "lastEmailedAt"
} as const satisfies Partial<Record<EmailEventType, string>>

const isActivity = (
  event: EmailEvent
): event is EmailEvent & { readonly type: keyof typeof activityFields } => event.type in activityFields

/** The event of a delivery; none for a delivery whose recipient retention has removed. */
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
     * Records events in the caller's transaction: code that moves a delivery or counts a first open or click calls it
     * beside that write, so that neither exists without the other. A fixed number of statements for each account.
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
