/**
 * The one door by which something that happened to a known person reaches the timeline and the flows.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import type { ContactEvent } from "../../model/Event.ts"

/** Reacts to contact events; the flows do. */
export class ContactEventListener extends Context.Service<
  ContactEventListener,
  {
    /**
     * In the caller's transaction: ends the runs that a stop event names, wakes those that wait for the event, starts
     * runs of the published flows it triggers, in the order given. A fixed number of statements for each account,
     * whatever the number of events.
     */
    readonly dispatch: (
      contactEvents: ReadonlyArray<ContactEvent>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/audience/ContactEventListener") {}

/** Records what happened to people. */
export class ContactEvents extends Context.Service<
  ContactEvents,
  {
    /**
     * In the caller's transaction, puts happenings on the timelines, and lets flows react to those that are new. One
     * that was recorded before, and one of a contact that does not exist or is erased, has no effect. A fixed number of
     * statements for each account.
     */
    readonly record: (
      contactEvents: ReadonlyArray<ContactEvent>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/audience/ContactEvents") {
  static readonly layer = Layer.effect(
    ContactEvents,
    Effect.gen(function* () {
      const timeline = yield* TimelineStore
      const listener = yield* ContactEventListener
      return ContactEvents.of({
        record: Effect.fnUntraced(function* (contactEvents) {
          const added = new Set<string>()
          for (const [accountId, group] of Map.groupBy(
            contactEvents,
            (contactEvent) => contactEvent.accountId
          )) {
            for (const id of yield* timeline.append(accountId, group)) added.add(id)
          }
          const fresh = contactEvents.filter(({ id }) => added.delete(id))
          if (fresh.length > 0) yield* listener.dispatch(fresh)
        })
      })
    })
  )
}
