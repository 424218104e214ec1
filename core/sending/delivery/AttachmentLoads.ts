/**
 * The attachments of messages that leave. They are loaded when it is their message's turn, a bounded number of bytes
 * at a time: those of a claimed batch together could be more than there is memory.
 *
 * @module
 */
import { Effect, Semaphore } from "effect"
import { SubmissionStore } from "../../ports/SubmissionStore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { type OutgoingDelivery, loadOf } from "./DeliveryDraft.ts"
import type { Attachment } from "../../model/Submission.ts"

/** About the most bytes that messages with attachments hold at once. */
const mostLoaded = 64_000_000
/** About the most of them that messages hold which are delivered together. */
const mostTogether = mostLoaded / 4

/** Answers the attachments of a message. */
export type Attached = (leaving: OutgoingDelivery) => ReadonlyArray<Attachment>

/** Attachments in use. */
export interface AttachmentLoads {
  /**
   * Runs what needs the attachments of messages once there is room for them; what is too large alone has all the room.
   * Messages without any neither wait nor ask the store.
   */
  readonly use: <A, E>(
    leaving: ReadonlyArray<OutgoingDelivery>,
    run: (attached: Attached) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | Unavailable>
}

/** The loads of one sender. */
export const makeAttachmentLoads = Effect.gen(function* () {
  const submissions = yield* SubmissionStore
  const room = Semaphore.makeUnsafe(mostLoaded)

  const use: AttachmentLoads["use"] = (leaving, run) => {
    const heavy = leaving.filter(({ submission }) => submission.attachedBytes > 0)
    if (heavy.length === 0) return Effect.suspend(() => run(() => []))
    const load = heavy.reduce((sum, one) => sum + loadOf(one), 0)
    const found = Effect.map(
      submissions.ofDeliveries(heavy.map(({ delivery }) => delivery)),
      (whole) => new Map(whole.map(({ attachments, id }) => [id, attachments]))
    )
    return room.withPermits(Math.min(mostLoaded, load))(
      // A submission that is no more was erased meanwhile: its message is not let past the point of no return.
      Effect.flatMap(found, (attachments) => run(({ submission }) => attachments.get(submission.id) ?? []))
    )
  }
  return { use } satisfies AttachmentLoads
})

/** Divides messages, in order, so that each portion's attachments can be held together; one that is larger is alone. */
export const portionsOf = (
  leaving: ReadonlyArray<OutgoingDelivery>
): ReadonlyArray<ReadonlyArray<OutgoingDelivery>> => {
  const portions: Array<Array<OutgoingDelivery>> = []
  let load = Infinity
  for (const one of leaving) {
    load += loadOf(one)
    if (load > mostTogether) {
      portions.push([])
      load = loadOf(one)
    }
    portions.at(-1)!.push(one)
  }
  return portions
}
