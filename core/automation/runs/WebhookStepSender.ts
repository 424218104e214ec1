/**
 * Makes the requests of Webhook steps: signed, retried, guarded. Each goes its own way, so that a receiver that is slow
 * holds up nobody.
 *
 * @module
 */
import { Clock, Effect, Scope } from "effect"
import { InstallationKeys } from "../../accounts/InstallationKeys.ts"
import type { DecodedJob } from "../../jobs/defineJob.ts"
import { type JobPool, makeJobPool } from "../../jobs/JobPool.ts"
import type { Handler } from "../../jobs/Worker.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { type Job, JobQueue } from "../../ports/JobQueue.ts"
import { RunStore } from "../../ports/RunStore.ts"
import { Transaction } from "../../ports/Transaction.ts"
import { WebhookClient } from "../../ports/WebhookClient.ts"
import { retryConflicts } from "../../kernel/Conflicts.ts"
import { signedHeaders } from "../../webhooks/Signature.ts"
import { webhookStepJob, type WebhookStepRequest } from "../../jobs/definitions/RunJobs.ts"

const lease = 30_000
const batch = 20
/** The most requests under way at once, from one process. */
const mostInFlight = 1_000
/** The most of one account: twenty whose receivers all hang leave no room, one leaves nearly all. */
const mostOfAccount = 50
/** The waits after the first to the fifth failure, milliseconds: those of webhooks about email. */
const retryWaits = [1, 5, 15, 60, 180].map((minutes) => minutes * 60_000)

/** The key that signs the requests of a flow. */
export const makeCallKeys = Effect.gen(function* () {
  const crypto = yield* Crypto
  const keys = yield* InstallationKeys
  return (accountId: string, flowId: string) =>
    Effect.map(keys.get, ({ flows }) => crypto.hmacSha256(flows, `${accountId}/${flowId}`))
})

/** The handler of the queue `calls`. */
export const makeFlowCalls = Effect.gen(function* () {
  const client = yield* WebhookClient
  const crypto = yield* Crypto
  const queue = yield* JobQueue
  const runs = yield* RunStore
  const transaction = yield* Transaction
  const keyOf = yield* makeCallKeys
  const scope = yield* Scope.make()
  const pool: JobPool = yield* Scope.provide(
    makeJobPool({ maxJobs: mostInFlight, maxJobsPerAccount: mostOfAccount, maxWeight: Infinity, lease }),
    scope
  )
  yield* Effect.addFinalizer((exit) => Effect.andThen(pool.shutdown(0), Scope.close(scope, exit)))

  /** The last word on a request, beside its job. */
  const complete = (job: Job, { runId, stepId }: WebhookStepRequest, outcome: string, at: number) =>
    retryConflicts(
      transaction.run(
        Effect.andThen(runs.appendLog(job.accountId, runId, { stepId, at, outcome }), queue.complete([job]))
      )
    )

  /** Another attempt, unless the run was erased while the request was under way: what the job carries goes too. */
  const again = (job: Job, { runId }: WebhookStepRequest, at: number, why: string) =>
    retryConflicts(
      transaction.run(
        Effect.flatMap(runs.lock(job.accountId, [runId]), ({ length }) =>
          length === 0 ? queue.complete([job]) : queue.retry([job], at, why)
        )
      )
    )

  const request = Effect.fnUntraced(function* (
    { job, payload: call }: DecodedJob<WebhookStepRequest>,
    current: () => Job
  ) {
    const key = yield* keyOf(job.accountId, call.flowId)
    const sentAt = yield* Clock.currentTimeMillis
    const answer = yield* client.post({
      pool: `${job.accountId}/${call.flowId}`,
      url: call.url,
      headers: {
        "content-type": "application/json",
        ...signedHeaders(crypto, [key], job.id, sentAt, call.body)
      },
      body: call.body
    })
    const { error, httpStatus } = answer
    const at = yield* Clock.currentTimeMillis
    const why = error ?? `status ${httpStatus}`
    if (error === null && httpStatus !== null && httpStatus >= 200 && httpStatus < 300) {
      return yield* pool.endClaims(Effect.suspend(() => complete(current(), call, "answered", at)))
    }
    const wait = retryWaits[job.attempts - 1]
    return yield* pool.endClaims(
      Effect.suspend(() =>
        wait === undefined
          ? complete(current(), call, `failed: ${why}`, at)
          : again(current(), call, at + wait, why)
      )
    )
  })

  return {
    batch,
    lease,
    pool,
    handle: (jobs) =>
      Effect.flatMap(
        webhookStepJob.decode(queue, jobs),
        Effect.forEach(
          (decoded) =>
            pool.start(decoded.job, 0, (running) =>
              // The lease of a job whose answer could not be written expires, and the job is claimed again.
              Effect.ignoreCause(request(decoded, running.job), {
                log: "Warn",
                message: "answer of a webhook step not written"
              })
            ),
          { discard: true }
        )
      )
  } satisfies Handler
})
