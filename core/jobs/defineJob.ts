/**
 * The definition of a kind of job: its queue, its key and the schema of its payload, in one place.
 *
 * @module
 */
import { Clock, Effect, Result, Schema } from "effect"
import type { Job, JobQueue, NewJob, Queue } from "../ports/JobQueue.ts"
import type { Json } from "../shared/Json.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Why a job is buried whose payload its definition cannot decode. */
export const payloadInvalid = "jobs.payload_invalid"

/** A job claimed, with its payload decoded. */
export interface DecodedJob<Payload> {
  readonly job: Job
  readonly payload: Payload
}

/** A kind of job. */
export interface JobDefinition<Payload> {
  readonly queue: Queue
  /** The key of a payload's job: at most one job of a key is pending. Null where each job stands for itself. */
  readonly keyOf: (payload: Payload) => string | null
  /** A job to enqueue, due at `runAt` (epoch milliseconds). */
  readonly job: (given: {
    readonly id: string
    readonly accountId: string
    readonly payload: Payload
    readonly runAt: number
  }) => NewJob
  /** Cancels the account's pending jobs of those payloads; leased ones run on. Returns how many were cancelled. */
  readonly cancel: (
    queue: JobQueue["Service"],
    accountId: string,
    payloads: ReadonlyArray<Payload>
  ) => Effect.Effect<number, Unavailable>
  /** The decoded jobs in their order. Those that cannot be decoded are buried and left out: no retry would help. */
  readonly decode: (
    queue: JobQueue["Service"],
    jobs: ReadonlyArray<Job>
  ) => Effect.Effect<ReadonlyArray<DecodedJob<Payload>>, Unavailable>
}

/** Defines a kind of job. The names of payload fields and keys are stored: they never change. */
export const defineJob = <Payload>(definition: {
  readonly queue: Queue
  readonly key: (payload: Payload) => string | null
  readonly payload: Schema.Codec<Payload, Json>
}): JobDefinition<Payload> => {
  const { key: keyOf, queue: name } = definition
  const decode = Schema.decodeUnknownResult(definition.payload)
  const encode = Schema.encodeSync(definition.payload)
  return {
    queue: name,
    keyOf,
    job: ({ accountId, id, payload, runAt }) => ({
      id,
      accountId,
      queue: name,
      key: keyOf(payload),
      runAt,
      payload: encode(payload)
    }),
    cancel: (queue, accountId, payloads) =>
      queue.cancel(
        accountId,
        name,
        payloads.flatMap((payload) => keyOf(payload) ?? [])
      ),
    decode: Effect.fnUntraced(function* (queue, jobs) {
      const decoded: Array<DecodedJob<Payload>> = []
      const undecodable: Array<Job> = []
      for (const job of jobs) {
        const payload = decode(job.payload)
        if (Result.isSuccess(payload)) decoded.push({ job, payload: payload.success })
        else undecodable.push(job)
      }
      if (undecodable.length > 0) {
        yield* queue.bury(undecodable, payloadInvalid, yield* Clock.currentTimeMillis)
      }
      return decoded
    })
  }
}
