/**
 * Stores the conditions of relays, as sending finds them.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { RelayObserver } from "./RelayObserver.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { describeDefect } from "../../shared/Defect.ts"

/** The observer that stores and logs conditions. What cannot be stored is found again by the next message. */
export const relayConditionsLayer = Layer.effect(
  RelayObserver,
  Effect.map(
    RelayStore,
    (store) => (id, condition) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        store.saveCondition(
          id,
          condition,
          condition.stateReason === "relays.account_refused" ? { at: now, words: condition.words } : undefined
        )
      ).pipe(
        Effect.andThen(
          Effect.annotateLogs(Effect.logInfo("relay changed its state"), {
            relay: id,
            state: condition.state,
            reason: condition.stateReason ?? "none"
          })
        ),
        Effect.catchCause((cause) =>
          Effect.annotateLogs(Effect.logWarning("state of a relay was not stored"), {
            relay: id,
            ...describeDefect(cause)
          })
        )
      )
  )
)
