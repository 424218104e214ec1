/**
 * Loads the attachments of outgoing messages, a bounded number of bytes at a time: those of a claimed batch together
 * could exceed the memory.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { FairSemaphore } from "../../kernel/FairSemaphore.ts"
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

/** The holder of what a batch of several accounts' messages loads. */
const several = ""

/** Loads attachments within a limit that the accounts share fairly. */
export class AttachmentLoads extends Context.Service<AttachmentLoads>()("svc/sending/AttachmentLoads", {
  make: Effect.gen(function* () {
    const submissions = yield* SubmissionStore
    const memory = new FairSemaphore(maxLoaded)
    return {
      /**
       * Runs an effect with the attachments of messages once there is memory for them; a message larger than the limit
       * gets the whole limit. Messages without attachments neither wait nor read from storage. `release` gives the memory
       * back before the effect ends.
       */
      use: <A, E>(
        outgoing: ReadonlyArray<OutgoingDelivery>,
        run: (attachmentsOf: AttachmentsOf, release: () => void) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | Unavailable> => {
        const heavy = outgoing.filter(({ submission }) => submission.attachedBytes > 0)
        if (heavy.length === 0)
          return Effect.suspend(() =>
            run(
              () => [],
              () => undefined
            )
          )
        const load = heavy.reduce((sum, one) => sum + loadOf(one), 0)
        const found = Effect.map(
          submissions.ofDeliveries(heavy.map(({ delivery }) => delivery)),
          (whole) => new Map(whole.map(({ attachments, id }) => [id, attachments]))
        )
        const [account, ...others] = new Set(heavy.map(({ delivery }) => delivery.accountId))
        const holder = others.length === 0 ? account! : several
        return memory.withPermits(holder, Math.min(maxLoaded, load), (release) =>
          // A submission that is missing was erased meanwhile: its message cannot pass the point of no return.
          Effect.flatMap(found, (attachments) =>
            run(({ submission }) => attachments.get(submission.id) ?? [], release)
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
