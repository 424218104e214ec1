/**
 * Stores the conditions of relays that sending observes.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { RelayObserver } from "./RelayObserver.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { describeDefect } from "../../shared/Defect.ts"

/** Stores and logs conditions. If a condition cannot be stored, the next message observes it again. */
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
