/**
 * Records email events: updates the activity of contacts and creates the notifications of webhooks.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { Notifications } from "../../webhooks/Notifications.ts"
import { ContactActivity } from "./ContactActivity.ts"
import type { EmailEvent } from "../../model/EmailEvent.ts"

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
>()("svc/sending/EmailEvents") {
  static readonly layer = Layer.effect(
    EmailEvents,
    Effect.gen(function* () {
      const activity = yield* ContactActivity
      const notifications = yield* Notifications
      return EmailEvents.of({
        record: Effect.fn("EmailEvents.record")(function* (events) {
          yield* activity.touch(events)
          yield* notifications.create(events)
        })
      })
    })
  ).pipe(Layer.provide([ContactActivity.layer, Notifications.layer]))
}
