/**
 * Loads the content of emails (HTML, text and attachments) that dispatch did not read because it is large or stored outside
 * the database. The content of a whole claimed batch could exceed the memory, so the number of bytes held at a time is
 * bounded. The content of a submission is read once for all of its messages in progress.
 *
 * @module
 */
import { Context, Effect, Layer, RcMap } from "effect"
import { builtOnce } from "../../kernel/builtOnce.ts"
import { FairSemaphore } from "../../kernel/FairSemaphore.ts"
import type { Unavailable } from "../../shared/Problem.ts"
import { EmailContents } from "../contents/EmailContents.ts"
import { loadOf } from "./DeliveryDraft.ts"
import type { EmailContent, UnloadedSubmission } from "../../model/Submission.ts"

/** About the maximum number of bytes that messages with large content hold at the same time. */
const maxLoaded = 64_000_000

/** Replaces the content of a submission that was erased meanwhile. Its message cannot pass the point of no return. */
const erased: EmailContent = { html: null, text: null, attachments: [] }

/** Loads content within a limit that the accounts share fairly. */
export class ContentLoads extends Context.Service<ContentLoads>()("svc/sending/ContentLoads", {
  make: Effect.gen(function* () {
    const contents = yield* EmailContents
    const memory = new FairSemaphore(maxLoaded)
    /** The content in use, by account and submission. */
    const inUse = yield* RcMap.make({
      lookup: (key: string) => {
        const [accountId = "", id = ""] = key.split("/")
        return Effect.map(contents.content({ accountId, id }), (content) => content ?? erased)
      }
    })
    return {
      /**
       * Runs an effect with a submission's content once there is memory for a message of it. Content larger than the limit
       * takes the whole limit. Small content neither waits nor is read from storage. `release` gives the memory back before
       * the effect ends.
       */
      use: <A, E>(
        submission: UnloadedSubmission,
        run: (content: EmailContent, release: () => void) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | Unavailable> => {
        const { accountId, attachedBytes, bodies, id } = submission
        if (bodies !== null && attachedBytes === 0) {
          return Effect.suspend(() => run({ ...bodies, attachments: [] }, () => undefined))
        }
        return memory.withPermits(accountId, Math.min(maxLoaded, loadOf(submission)), (release) =>
          Effect.scoped(
            Effect.flatMap(RcMap.get(inUse, `${accountId}/${id}`), (content) => run(content, release))
          )
        )
      }
    }
  })
}) {
  static readonly layer = Layer.effect(ContentLoads, ContentLoads.make).pipe(
    Layer.provide(EmailContents.layer),
    builtOnce
  )
}
