/**
 * Delivers messages of sandbox accounts: into their inboxes, as a batch.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { MessageComposer } from "../../ports/MessageComposer.ts"
import { SandboxTransport } from "../../ports/SandboxTransport.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { AttachmentLoads, type AttachmentsOf, portionsOf } from "./AttachmentLoads.ts"
import { type DraftTools, draftOf, messageOf, type OutgoingDelivery } from "./DeliveryDraft.ts"
import { DeliveryResults, type DeliveryResult } from "./DeliveryResults.ts"
import { deliveryKey } from "./DispatchPlan.ts"
import { SendGate } from "../gate/SendGate.ts"

/** Delivers sandbox messages. */
export class SandboxSender extends Context.Service<SandboxSender>()("svc/sending/SandboxSender", {
  make: Effect.gen(function* () {
    const atomically = yield* Atomically
    const attachments = yield* AttachmentLoads
    const composer = yield* MessageComposer
    const gate = yield* SendGate
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
      const claims = yield* gate.claims(outgoing)
      const write = Effect.gen(function* () {
        // Erased, cancelled or withdrawn meanwhile: the others keep no message.
        const sendable = new Set((yield* submissions.lockSendable(claims)).map(deliveryKey))
        const sent = messages.filter((_, index) => sendable.has(deliveryKey(outgoing[index]!.delivery)))
        const outcomes = (yield* transport.send(sent, now)).values()
        yield* results.write(
          outgoing.map(({ delivery, job }): DeliveryResult => ({
            job,
            delivery,
            outcome: sendable.has(deliveryKey(delivery)) ? outcomes.next().value! : { _tag: "Withdrawn" },
            attempt: null
          }))
        )
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
    Layer.provide([AttachmentLoads.layer, DeliveryResults.layer, SendGate.layer])
  )
}
