/**
 * The one door by which something that happened to a known person reaches the timeline and the flows.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { FlowReactions } from "../automation/FlowReactions.ts"
import { TimelineStore } from "../ports/TimelineStore.ts"
import type { WriteConflict } from "../ports/Transaction.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Happening } from "./Happening.ts"

/** Records what happened to people. */
export class Happenings extends Context.Service<
  Happenings,
  {
    /**
     * In the caller's transaction, puts happenings on the timelines, and lets flows react to those that are new. One
     * that was recorded before, and one of a contact that does not exist or is erased, has no effect. A fixed number of
     * statements for each account.
     */
    readonly record: (
      happenings: ReadonlyArray<Happening>
    ) => Effect.Effect<void, WriteConflict | Unavailable>
  }
>()("svc/activity/Happenings") {
  static readonly layer = Layer.effect(
    Happenings,
    Effect.gen(function* () {
      const timeline = yield* TimelineStore
      const flows = yield* FlowReactions
      return Happenings.of({
        record: Effect.fnUntraced(function* (happenings) {
          const added = new Set<string>()
          for (const [accountId, group] of Map.groupBy(happenings, (happening) => happening.accountId)) {
            for (const id of yield* timeline.append(accountId, group)) added.add(id)
          }
          const fresh = happenings.filter(({ id }) => added.delete(id))
          if (fresh.length > 0) yield* flows.react(fresh)
        })
      })
    })
  )
}
