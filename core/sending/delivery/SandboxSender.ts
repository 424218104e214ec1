/**
 * Delivers messages of sandbox accounts: into their inboxes, as a batch.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { InboxStore } from "../../ports/InboxStore.ts"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { SandboxTransport } from "../../ports/SandboxTransport.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { AttachmentLoads, type AttachmentsOf, portionsOf } from "./AttachmentLoads.ts"
import { type DraftTools, draftOf, messageOf, type OutgoingDelivery } from "./DeliveryDraft.ts"
import { DeliveryResults, type DeliveryResult } from "./DeliveryResults.ts"
import { deliveryKey } from "./DispatchPlan.ts"

/** Delivers sandbox messages. */
export class SandboxSender extends Context.Service<SandboxSender>()("svc/sending/SandboxSender", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const attachments = yield* AttachmentLoads
    const composer = yield* MessageComposer
    const inbox = yield* InboxStore
    const results = yield* DeliveryResults
    const submissions = yield* SubmissionStore
    const transport = yield* SandboxTransport

    const sendPortion = Effect.fnUntraced(function* (
      outgoing: ReadonlyArray<OutgoingDelivery>,
      attachmentsOf: AttachmentsOf,
      tools: DraftTools
    ) {
      const now = yield* Clock.currentTimeMillis
      const drafts = outgoing.map((one) => draftOf(one, attachmentsOf(one), tools, now))
      const raws = yield* composer.compose(drafts)
      const messages = outgoing.map((one, index) => messageOf(one, tools, drafts[index]!, raws[index]!))
      const write = Effect.gen(function* () {
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
      })
      yield* atomically(write)
    })

    return {
      /** Delivers messages, and writes their results in the same transaction: in one unless they are too heavy. */
      send: Effect.fn("SandboxSender.send")((outgoing: ReadonlyArray<OutgoingDelivery>, tools: DraftTools) =>
        Effect.forEach(
          portionsOf(outgoing),
          (portion) =>
            attachments.use(portion, (attachmentsOf) => sendPortion(portion, attachmentsOf, tools)),
          { discard: true }
        )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(SandboxSender, SandboxSender.make).pipe(
    Layer.provide([AttachmentLoads.layer, DeliveryResults.layer])
  )
}
