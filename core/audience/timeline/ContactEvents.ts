/**
 * Records contact events: adds them to the contacts' timelines and dispatches new events to flows.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { TimelineStore } from "../../ports/TimelineStore.ts"
import type { WriteConflict } from "../../ports/Transaction.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import type { ConsentEntry } from "../../model/Consent.ts"
import type { ContactEvent } from "../../model/Event.ts"

/** Reacts to contact events. `automation/runs/FlowDispatcher` implements it. */
export class ContactEventListener extends Context.Service<
  ContactEventListener,
  {
    /**
     * In the caller's transaction, and for the events in the given order: ends the runs that a stop event names, resumes those
     * that wait for the event, and starts runs of the published flows that it triggers. A fixed number of statements for each
     * account, whatever the number of events.
     */
    readonly dispatch: (
      contactEvents: ReadonlyArray<ContactEvent>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/audience/ContactEventListener") {}

/** Records contact events. */
export class ContactEvents extends Context.Service<
  ContactEvents,
  {
    /**
     * Adds events to the timelines and dispatches new events to flows, in the caller's transaction. An event that was recorded
     * before, or whose contact does not exist or is erased, has no effect. A fixed number of statements for each account.
     *
     * @param written as for `TimelineStore.append`: contacts that the transaction has written and that are not erased
     */
    readonly record: (
      contactEvents: ReadonlyArray<ContactEvent>,
      written?: ReadonlySet<string>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/audience/ContactEvents") {
  static readonly layer = Layer.effect(
    ContactEvents,
    Effect.gen(function* () {
      const timeline = yield* TimelineStore
      const listener = yield* ContactEventListener
      return ContactEvents.of({
        record: Effect.fn("ContactEvents.record")(function* (contactEvents, written) {
          const added = new Set<string>()
          for (const [accountId, group] of Map.groupBy(contactEvents, (event) => event.accountId)) {
            for (const id of yield* timeline.append(accountId, group, written)) added.add(id)
          }
          const fresh = contactEvents.filter(({ id }) => added.delete(id))
          if (fresh.length > 0) yield* listener.dispatch(fresh)
        })
      })
    })
  )
}

/**
 * The events of consent changes: `contact.subscribed` if consent became Subscribed (docs/contributing/public-api.md "Timeline
 * events created by the service").
 */
export const subscriptionEvents = (
  accountId: string,
  consents: ReadonlyArray<ConsentEntry>
): ReadonlyArray<ContactEvent> =>
  consents
    .filter(({ from, to }) => to === "Subscribed" && from !== "Subscribed")
    .map(({ at, contactId, id }) => ({
      accountId,
      contactId,
      id,
      name: "contact.subscribed",
      properties: {},
      occurredAt: at,
      source: "Service"
    }))
