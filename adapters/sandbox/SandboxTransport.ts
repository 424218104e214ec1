/**
 * The SandboxTransport port: delivers mail to the account's own inbox only (docs/contributing/decisions.md 1).
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { InboxStore } from "../../core/ports/InboxStore.ts"
import { SandboxTransport } from "../../core/ports/SandboxTransport.ts"
import { sandboxOutcome } from "../../core/sending/delivery/DeliveryRules.ts"

/** Puts delivered messages into the inbox; a message that is sent again is stored once. */
export const layer = Effect.gen(function* () {
  const inbox = yield* InboxStore
  return SandboxTransport.of({
    send: Effect.fnUntraced(function* (messages, now) {
      const outcomes = messages.map((message) => sandboxOutcome(message.recipient, message.attempts))
      const arrived = messages.filter((_, index) => {
        const tag = outcomes[index]!._tag
        return tag === "Delivered" || tag === "Complained"
      })
      yield* inbox.put(
        arrived.map((message) => ({
          message: {
            id: message.deliveryId,
            accountId: message.accountId,
            submissionId: message.submissionId,
            to: message.recipient,
            fromEmail: message.from.email,
            fromName: message.from.name,
            subject: message.subject,
            html: message.html,
            text: message.text,
            receivedAt: now
          },
          raw: message.raw
        }))
      )
      return outcomes
    })
  })
}).pipe(Layer.effect(SandboxTransport))
