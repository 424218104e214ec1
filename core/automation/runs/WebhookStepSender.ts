/**
 * Sends the requests of Webhook steps: signed, with retries, and guarded against private networks. Requests run independently, so
 * a slow receiver does not delay others.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import type { SigningKey } from "../../accounts/KeyRing.ts"
import { type JobPool, makeJobPool, type RunningJob } from "../../jobs/JobPool.ts"
import type { Handler } from "../../jobs/Worker.ts"
import { countedOutcome } from "../../model/StepCount.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { WebhookClient } from "../../ports/WebhookClient.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { signedHeaders } from "../../webhooks/Signature.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { webhookStepJob, type WebhookStepRequest } from "../../jobs/definitions/RunJobs.ts"

const lease = 30_000
const batch = 20
/** The most concurrent requests of a process. */
const maxConcurrent = 1_000
/** The most concurrent requests of an account: one whose receivers hang leaves nearly all of the capacity to others. */
const maxPerAccount = 50
/** The delays after the first to the fifth failure, milliseconds, as for webhooks about email. */
const retryWaits = [1, 5, 15, 60, 180].map((minutes) => minutes * 60_000)

/**
 * Makes a function that returns the keys of a flow's Webhook steps, derived from keys of the installation, newest first. Each
 * request is signed with every key, so that a receiver that has an earlier one accepts it.
 */
export const flowSigningKeys = Effect.gen(function* () {
  const crypto = yield* Crypto
  const keys = yield* InstallationKeys
  return (accountId: string, flowId: string) =>
    Effect.map(keys.get, ({ flows: [newest, ...earlier] }) => {
      const derive = ({ key }: SigningKey) => crypto.hmacSha256(key, `${accountId}/${flowId}`)
      return [derive(newest), ...earlier.map(derive)] as const
    })
})

/** The handler of the queue `calls`. */
export class WebhookStepSender extends Context.Service<WebhookStepSender>()(
  "svc/automation/WebhookStepSender",
  {
    make: Effect.gen(function* () {
      const client = yield* WebhookClient
      const crypto = yield* Crypto
      const queue = yield* JobQueue
      const runs = yield* RunStore
      const signingKeysOf = yield* flowSigningKeys
      const atomically = yield* Atomically
      const scope = yield* Scope.make()
      const pool: JobPool = yield* Scope.provide(
        makeJobPool({ maxJobs: maxConcurrent, maxJobsPerAccount: maxPerAccount, maxWeight: Infinity, lease }),
        scope
      )
      yield* Effect.addFinalizer((exit) => Effect.andThen(pool.shutdown(0), Scope.close(scope, exit)))

      /** Logs the final outcome of a request and completes its job. */
      const complete = (job: Job, call: WebhookStepRequest, outcome: string, at: number) => {
        const { accountId } = job
        const { flowId, runId, stepId } = call
        const counted = countedOutcome(outcome)
        return atomically(
          Effect.gen(function* () {
            yield* runs.appendLog(accountId, runId, { stepId, at, outcome })
            yield* queue.complete([job])
            if (counted === "passed") return
            // The step was counted as passed when its request was made.
            yield* runs.countSteps(accountId, [
              { flowId, stepId, outcome: "passed", count: -1 },
              { flowId, stepId, outcome: counted, count: 1 }
            ])
          })
        )
      }

      /** Retries a job, unless its run was erased meanwhile; then its payload must be deleted. */
      const retry = (job: Job, { runId }: WebhookStepRequest, at: number, reason: string) =>
        atomically(
          Effect.flatMap(runs.lock(job.accountId, [runId]), ({ length }) =>
            length === 0 ? queue.complete([job]) : queue.retry([job], at, reason)
          )
        )

      const send = Effect.fn("WebhookStepSender.send")(function* (
        { job, payload: call }: DecodedJob<WebhookStepRequest>,
        running: RunningJob
      ) {
        const keys = yield* signingKeysOf(job.accountId, call.flowId)
        const { error, httpStatus } = yield* client.post({
          pool: `${job.accountId}/${call.flowId}`,
          url: call.url,
          headers: {
            "content-type": "application/json",
            ...signedHeaders(crypto, keys, job.id, yield* Clock.currentTimeMillis, call.body)
          },
          body: call.body
        })
        const at = yield* Clock.currentTimeMillis
        const isSuccess = error === null && httpStatus !== null && httpStatus >= 200 && httpStatus < 300
        const reason = error ?? `status ${httpStatus}`
        const wait = retryWaits[job.attempts - 1]
        yield* pool.endClaims(
          Effect.suspend(() => {
            const current = running.job()
            if (isSuccess) return complete(current, call, "answered", at)
            return wait === undefined
              ? complete(current, call, `failed: ${reason}`, at)
              : retry(current, call, at + wait, reason)
          })
        )
      })

      return {
        batch,
        lease,
        pool,
        handle: (jobs: ReadonlyArray<Job>) =>
          Effect.flatMap(
            webhookStepJob.decode(queue, jobs),
            Effect.forEach(
              (decoded) =>
                pool.start(decoded.job, 0, (running) =>
                  // A job whose result could not be written is retried when its lease expires.
                  Effect.ignoreCause(send(decoded, running), {
                    log: "Warn",
                    message: "result of a webhook step not written"
                  })
                ),
              { discard: true }
            )
          )
      } satisfies Handler
    })
  }
) {
  static readonly layer = Layer.effect(WebhookStepSender, WebhookStepSender.make)
}
