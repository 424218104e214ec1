/**
 * Delivers the messages of sandbox accounts to their inboxes, as a batch.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { type SandboxMessage, SandboxTransport } from "../../ports/SandboxTransport.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { copyOf, type DraftTools, type OutgoingDelivery } from "./DeliveryDraft.ts"
import { DeliveryResults, type DeliveryResult } from "./DeliveryResults.ts"
import { deliveryKey } from "./DispatchPlan.ts"
import { sandboxSelectors } from "../domains/SandboxKeys.ts"
import { SendGate } from "../gate/SendGate.ts"

/** Delivers sandbox messages. */
export class SandboxSender extends Context.Service<SandboxSender>()("svc/sending/SandboxSender", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const gate = yield* SendGate
    const results = yield* DeliveryResults
    const submissions = yield* SubmissionStore
    const transport = yield* SandboxTransport

    return {
      /** Delivers messages and writes their results, in one transaction. No content is read. */
      send: Effect.fn("SandboxSender.send")(function* (
        outgoing: ReadonlyArray<OutgoingDelivery>,
        tools: DraftTools
      ) {
        const now = yield* Clock.currentTimeMillis
        const claims = yield* gate.claims(outgoing)
        const write = Effect.gen(function* () {
          // Deliveries that were erased, cancelled or withdrawn meanwhile get no message.
          const sendable = new Set((yield* submissions.lockSendable(claims)).map(deliveryKey))
          const sent = outgoing.filter(({ delivery }) => sendable.has(deliveryKey(delivery)))
          const messages = sent.map((one) => messageOf(one, tools, now))
          const outcomes = (yield* transport.send(messages, now)).values()
          yield* results.write(
            outgoing.map(({ delivery, job }): DeliveryResult => ({
              job,
              delivery,
              outcome: sendable.has(deliveryKey(delivery)) ? outcomes.next().value! : { _tag: "Withdrawn" },
              attempt: null,
              message: null,
              heldUntil: null,
              counted: null
            }))
          )
        })
        yield* atomically(write)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxSender, SandboxSender.make).pipe(
    Layer.provide([DeliveryResults.layer, SendGate.layer])
  )
}

const messageOf = (outgoing: OutgoingDelivery, tools: DraftTools, now: number): SandboxMessage => {
  const { from, messageId, tracking } = copyOf(outgoing, tools, now)
  const { accountId, attempts, email, id, submissionId } = outgoing.delivery
  return {
    id,
    accountId,
    submissionId,
    to: email,
    fromEmail: from.email,
    fromName: from.name,
    rendering: { messageId, selectors: sandboxSelectors(outgoing.domain), ...tracking },
    attempts
  }
}
