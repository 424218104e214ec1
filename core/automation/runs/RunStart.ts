/**
 * Starts runs: adds them, together with the jobs that advance them.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import type { Run } from "../../model/Run.ts"
import { JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Ids } from "../../kernel/Ids.ts"
import { firstRunRetention } from "../../jobs/definitions/RetentionJobs.ts"
import { advanceRunJob } from "../../jobs/definitions/RunJobs.ts"

/** Starts runs. */
export class RunStart extends Context.Service<RunStart>()("svc/automation/RunStart", {
  make: Effect.gen(function* () {
    const ids = yield* Ids
    const queue = yield* JobQueue
    const runs = yield* RunStore

    return {
      /**
       * Adds new runs of an account, in the caller's transaction; a fixed number of statements. A run is left out if its contact
       * already has an active run of the same flow.
       *
       * @param now epoch milliseconds
       */
      start: Effect.fn("RunStart.start")(function* (
        accountId: string,
        starting: ReadonlyArray<Run>,
        now: number
      ) {
        if (starting.length === 0) return
        const added = yield* runs.insert(accountId, starting)
        if (added.length === 0) return
        const [retentionId, ...jobIds] = yield* ids.many(added.length + 1)
        yield* queue.enqueue([
          ...added.map((runId, index) =>
            advanceRunJob.job({ id: jobIds[index]!, accountId, payload: { runId }, runAt: now })
          ),
          firstRunRetention(retentionId!, accountId, now)
        ])
      })
    }
  })
}) {
  static readonly layer = Layer.effect(RunStart, RunStart.make)
}
