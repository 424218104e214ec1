/**
 * Delivers messages of sandbox accounts: into their inboxes, as a batch.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { InboxStore } from "../../ports/InboxStore.ts"
import { type SandboxMessage, SandboxTransport } from "../../ports/SandboxTransport.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { copyOf, type DraftTools, type OutgoingDelivery } from "./DeliveryDraft.ts"
import { DeliveryResults, type DeliveryResult } from "./DeliveryResults.ts"
import { deliveryKey } from "./DispatchPlan.ts"

/** Delivers sandbox messages. */
export class SandboxSender extends Context.Service<SandboxSender>()("svc/sending/SandboxSender", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const inbox = yield* InboxStore
    const results = yield* DeliveryResults
    const submissions = yield* SubmissionStore
    const transport = yield* SandboxTransport

    return {
      /** Delivers messages, and writes their results in the same transaction. No content is read. */
      send: Effect.fn("SandboxSender.send")(function* (
        outgoing: ReadonlyArray<OutgoingDelivery>,
        tools: DraftTools
      ) {
        const now = yield* Clock.currentTimeMillis
        const messages = outgoing.map((one) => messageOf(one, tools, now))
        const outcomes = yield* transport.send(messages, now)
        const written = yield* results.write(
          outgoing.map(({ delivery, job }, index): DeliveryResult => ({
            job,
            delivery,
            outcome: outcomes[index]!,
            attempt: null
          }))
        )
        const ours = new Set(written.map(deliveryKey))
        const others = outgoing.flatMap(({ delivery }) => (ours.has(deliveryKey(delivery)) ? [] : [delivery]))
        if (others.length === 0) return
        // A delivery that is missing was erased meanwhile, and a Failed one was cancelled: neither keeps a message.
        const found = yield* submissions.deliveries(others)
        const kept = new Set(found.filter((delivery) => delivery.status !== "Failed").map(deliveryKey))
        yield* inbox.erase(others.filter((delivery) => !kept.has(deliveryKey(delivery))))
      }, atomically)
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxSender, SandboxSender.make).pipe(
    Layer.provide(DeliveryResults.layer)
  )
}

const messageOf = (outgoing: OutgoingDelivery, tools: DraftTools, now: number): SandboxMessage => {
  const { from, messageId, signWith, tracking } = copyOf(outgoing, tools, now)
  const { accountId, attempts, email, id, submissionId } = outgoing.delivery
  return {
    id,
    accountId,
    submissionId,
    to: email,
    fromEmail: from.email,
    fromName: from.name,
    rendering: { messageId, selectors: signWith.map(({ selector }) => selector), ...tracking },
    attempts
  }
}
