/**
 * Handles the queue `notifications`: gives each wake-up job to the endpoint sender of its webhook.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { makeJobPool, type RunningJob } from "../jobs/JobPool.ts"
import { wakeupJob } from "../jobs/definitions/WebhookJobs.ts"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import { AttemptResults } from "./AttemptResults.ts"
import { EndpointSender, EndpointServices } from "./EndpointSender.ts"
import { NotificationClaims } from "./NotificationClaims.ts"
import { SigningKeys } from "./SigningKeys.ts"
import { webhookRefKey, WebhookWakeups } from "./WebhookWakeups.ts"

/** The length of a wake-up job's lease until it is extended, milliseconds. */
const lease = 30_000
/** The number of wake-up jobs claimed at a time. */
const batch = 250
/**
 * The interval between claims while there are few wake-ups, milliseconds. It is short, since a notification may wait for it, and
 * the results of attempts are batched later in any case.
 */
const gatherPause = 5
/** The maximum number of webhooks served at a time. */
const maxSenders = 5_000

/** Handles the queue `notifications`. */
export class NotificationSender extends Context.Service<NotificationSender>()(
  "svc/webhooks/NotificationSender",
  {
    make: Effect.gen(function* () {
      const queue = yield* JobQueue
      const services = yield* EndpointServices
      // The scope is closed after the senders have ended, so that no fiber of the pool is interrupted before `shutdown` has
      // run.
      const scope = yield* Scope.make()
      const pool = yield* Scope.provide(
        makeJobPool({ maxJobs: maxSenders, maxWeight: maxSenders, lease }),
        scope
      )
      const senders = new Map<string, EndpointSender>()
      const shutdown = (grace: number) =>
        Effect.suspend(() => {
          for (const sender of senders.values()) sender.stop()
          return pool.shutdown(grace)
        })
      yield* Effect.addFinalizer((exit) => Effect.andThen(shutdown(0), Scope.close(scope, exit)))

      /** Completes wake-ups, except those that another worker has claimed since. */
      const complete = (wakeups: ReadonlyArray<Job>): ReturnType<typeof queue.complete> =>
        wakeups.length === 0
          ? Effect.void
          : Effect.catchTag(queue.complete(wakeups), "LeaseLost", ({ ids }) =>
              complete(wakeups.filter((wakeup) => !ids.includes(wakeup.id)))
            )

      const endWakeup = (wakeup: RunningJob, done: boolean) =>
        pool.endClaims(
          Effect.suspend(() =>
            done
              ? Effect.catchTag(complete([wakeup.job()]), "LeaseLost", () => Effect.void)
              : Effect.flatMap(Clock.currentTimeMillis, (now) => queue.release([wakeup.job()], now))
          )
        )

      const onEnd = (sender: EndpointSender) => {
        const key = webhookRefKey(sender.ref)
        if (senders.get(key) === sender) senders.delete(key)
      }

      const handle = Effect.fn("NotificationSender.handle")(function* (wakeups: ReadonlyArray<Job>) {
        const surplus: Array<Job> = []
        for (const { job, payload } of yield* wakeupJob.decode(queue, wakeups)) {
          const ref = { accountId: job.accountId, webhookId: payload.webhookId }
          const key = webhookRefKey(ref)
          const running = senders.get(key)
          if (running !== undefined) {
            running.look()
            surplus.push(job)
            continue
          }
          const sender = new EndpointSender(ref, services, { endWakeup, onEnd })
          senders.set(key, sender)
          yield* pool.start(job, 1, (wakeup) => sender.run(wakeup))
        }
        yield* complete(surplus)
      })

      return { batch, gatherPause, lease, handle, pool: { ...pool, shutdown } }
    })
  }
) {
  static readonly layer = Layer.effect(NotificationSender, NotificationSender.make).pipe(
    Layer.provide([AttemptResults.layer, NotificationClaims.layer, SigningKeys.layer, WebhookWakeups.layer])
  )
}
