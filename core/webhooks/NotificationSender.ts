/**
 * The handler of the queue `notifications`: gives each wakeup to the lane of its webhook.
 *
 * @module
 */
import { Clock, Effect, Scope } from "effect"
import { makeJobPool, type RunningJob } from "../jobs/JobPool.ts"
import type { Handler } from "../jobs/Worker.ts"
import { wakeupJob } from "../jobs/definitions/WebhookJobs.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { refKey } from "./WebhookWakeups.ts"
import { type Lane, makeLanes } from "./EndpointSender.ts"

/** How long an wakeup is ours before its lease has to be extended, milliseconds. */
const lease = 30_000
/** Alarms claimed at a time. */
const batch = 250
/** The most webhooks served at a time. */
const maxLanes = 5_000
/** The handler of the queue `notifications`. Its lanes live in the scope. */
export const makeNotificationSender = Effect.gen(function* () {
  const queue = yield* JobQueue
  // Lanes end before what they write through does: at the scope's end they are landed, and then their own closes.
  const scope = yield* Scope.make()
  const pool = yield* Effect.provideService(
    makeJobPool({ maxJobs: maxLanes, maxWeight: maxLanes, lease }),
    Scope.Scope,
    scope
  )
  const lanes = new Map<string, Lane>()
  const shutdown = (grace: number) =>
    Effect.suspend(() => {
      for (const lane of lanes.values()) lane.stop()
      return pool.shutdown(grace)
    })
  yield* Effect.addFinalizer((exit) => Effect.andThen(shutdown(0), Scope.close(scope, exit)))

  /** Completes wakeups; those that another worker has by now are its own. */
  const complete = (wakeups: ReadonlyArray<Job>): ReturnType<typeof queue.complete> =>
    wakeups.length === 0
      ? Effect.void
      : Effect.catchTag(queue.complete(wakeups), "LeaseLost", ({ ids }) =>
          complete(wakeups.filter((wakeup) => !ids.includes(wakeup.id)))
        )

  const endGuard = (guard: RunningJob, done: boolean) =>
    pool.endClaims(
      Effect.suspend(() =>
        done
          ? Effect.catchTag(complete([guard.job()]), "LeaseLost", () => Effect.void)
          : Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release([guard.job()], now))
      )
    )

  const makeLane = yield* Effect.provideService(
    makeLanes(endGuard, (lane) => {
      const key = refKey(lane.ref)
      if (lanes.get(key) === lane) lanes.delete(key)
    }),
    Scope.Scope,
    scope
  )

  const handle = Effect.fn("NotificationSender.handle")(function* (wakeups: ReadonlyArray<Job>) {
    const surplus: Array<Job> = []
    for (const { job: wakeup, payload } of yield* wakeupJob.decode(queue, wakeups)) {
      const ref = { accountId: wakeup.accountId, webhookId: payload.webhookId }
      const key = refKey(ref)
      const lane = lanes.get(key)
      if (lane !== undefined) {
        lane.look()
        surplus.push(wakeup)
        continue
      }
      const added = makeLane(ref)
      lanes.set(key, added)
      yield* pool.start(wakeup, 1, added.run)
    }
    yield* complete(surplus)
  })

  return {
    batch,
    lease,
    handle,
    pool: { ...pool, shutdown }
  } satisfies Handler
})
