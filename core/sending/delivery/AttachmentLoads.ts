/**
 * Loads the attachments of outgoing messages, a bounded number of bytes at a time: those of a claimed batch together
 * could exceed the memory.
 *
 * @module
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Unavailable } from "../../shared/Problem.ts"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import { type OutgoingDelivery, loadOf } from "./DeliveryDraft.ts"
import type { Attachment } from "../../model/Submission.ts"

/** About the most bytes that messages with attachments hold at the same time. */
const maxLoaded = 64_000_000
/** About the most bytes held by messages that are delivered together. */
const maxTogether = maxLoaded / 4

/** Returns the attachments of a message. */
export type AttachmentsOf = (outgoing: OutgoingDelivery) => ReadonlyArray<Attachment>

/** Loads attachments within a limit that all messages of the process share. */
export class AttachmentLoads extends Context.Service<AttachmentLoads>()("svc/sending/AttachmentLoads", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const memory = yield* Semaphore.make(maxLoaded)
    return {
      /**
       * Runs an effect with the attachments of messages once there is memory for them; a message larger than the limit
       * gets the whole limit. Messages without attachments neither wait nor read from storage.
       */
      use: <A, E>(
        outgoing: ReadonlyArray<OutgoingDelivery>,
        run: (attachmentsOf: AttachmentsOf) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | Unavailable> => {
        const heavy = outgoing.filter(({ submission }) => submission.attachedBytes > 0)
        if (heavy.length === 0) return Effect.suspend(() => run(() => []))
        const load = heavy.reduce((sum, one) => sum + loadOf(one), 0)
        const found = Effect.map(
          submissions.ofDeliveries(heavy.map(({ delivery }) => delivery)),
          (whole) => new Map(whole.map(({ attachments, id }) => [id, attachments]))
        )
        return memory.withPermits(Math.min(maxLoaded, load))(
          // A submission that is missing was erased meanwhile: its message cannot pass the point of no return.
          Effect.flatMap(found, (attachments) =>
            run(({ submission }) => attachments.get(submission.id) ?? [])
          )
        )
      }
    }
  })
}) {
  static readonly layer = Layer.effect(AttachmentLoads, AttachmentLoads.make)
}

/** Divides messages, in order, into portions whose attachments fit in memory together; a larger message is alone. */
export const portionsOf = (
  outgoing: ReadonlyArray<OutgoingDelivery>
): ReadonlyArray<ReadonlyArray<OutgoingDelivery>> => {
  const portions: Array<Array<OutgoingDelivery>> = []
  let load = Infinity
  for (const one of outgoing) {
    load += loadOf(one)
    if (load > maxTogether) {
      portions.push([])
      load = loadOf(one)
    }
    portions.at(-1)!.push(one)
  }
  return portions
}
