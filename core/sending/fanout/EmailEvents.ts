/**
 * Writes down what follows from the happenings of emails.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { makeNotifications } from "../../webhooks/Notifications.ts"
import { makeContactActivity } from "./ContactActivity.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"

/** Writes down what follows from the happenings of emails. */
export class EmailEvents extends Context.Service<
  EmailEvents,
  {
    /**
     * Records contactEvents, in the caller's transaction: whoever moves a delivery or counts a first open or click calls
     * it beside that write, so that neither is without the other. A fixed number of statements for each account.
     */
    readonly record: (events: ReadonlyArray<EmailEvent>) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/sending/EmailEvents") {
  static readonly layer = Layer.effect(
    EmailEvents,
    Effect.gen(function* () {
      const touchContacts = yield* makeContactActivity
      const notify = yield* makeNotifications
      return EmailEvents.of({
        record: Effect.fnUntraced(function* (events) {
          yield* touchContacts(events)
          yield* notify(events)
        })
      })
    })
  )
}
