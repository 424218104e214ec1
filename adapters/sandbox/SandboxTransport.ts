/**
 * Implements the SandboxTransport port: delivers mail only to the account's own inbox (docs/contributing/decisions.md 1).
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { InboxStore, type NewInboxEntry } from "../../core/ports/InboxStore.ts"
import { SandboxTransport } from "../../core/ports/SandboxTransport.ts"
import { sandboxOutcome } from "../../core/sending/delivery/DeliveryRules.ts"

/** Puts delivered messages into the inbox. A message that is sent again is stored once. */
export const layer = Effect.gen(function* () {
  const inbox = yield* InboxStore
  return SandboxTransport.of({
    send: Effect.fnUntraced(function* (messages, now) {
      const outcomes = messages.map((message) => sandboxOutcome(message.to, message.attempts))
      const arrived = messages.filter((_, index) => {
        const tag = outcomes[index]!._tag
        return tag === "Delivered" || tag === "Complained"
      })
      yield* inbox.put(
        arrived.map(({ attempts: _attempts, ...message }): NewInboxEntry => ({ ...message, receivedAt: now }))
      )
      return outcomes
    })
  })
}).pipe(Layer.effect(SandboxTransport))
