/**
 * Defines a kind of job in one place: its queue, its key, and how its data is stored and read.
 *
 * @module
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { Job, JobQueue, NewJob, Queue } from "../ports/JobQueue.ts"
import type { Json } from "../shared/Json.ts"
import type { Unavailable } from "../shared/Problem.ts"

/** Why a job is buried whose payload its definition cannot decode. */
export const payloadInvalid = "jobs.payload_invalid"

/** A claimed job with its payload decoded. */
export interface DecodedJob<Payload> {
  readonly job: Job
  readonly payload: Payload
}

/** A kind of job. `Keyed` is the part of the payload that the key is made of. */
export interface JobDefinition<Payload extends Keyed, Keyed = Payload> {
  /** The key of a payload's job: at most one job of a key is pending. Null where several may be. */
  readonly keyOf: (payload: Keyed) => string | null
  /** A job to enqueue, due at `runAt` (epoch milliseconds). */
  readonly job: (given: {
    readonly id: string
    readonly accountId: string
    readonly payload: Payload
    readonly runAt: number
  }) => NewJob
  /** Whether a job of the queue is of this kind: its payload can be decoded and its key is that payload's. */
  readonly owns: (job: Job) => boolean
  /** Cancels the account's pending jobs of those payloads; leased ones run on. Returns how many were cancelled. */
  readonly cancel: (
    queue: JobQueue["Service"],
    accountId: string,
    payloads: ReadonlyArray<Keyed>
  ) => Effect.Effect<number, Unavailable>
  /** Removes the account's pending and buried jobs of those payloads; leased ones run on. */
  readonly erase: (
    queue: JobQueue["Service"],
    accountId: string,
    payloads: ReadonlyArray<Keyed>
  ) => Effect.Effect<void, Unavailable>
  /** The decoded jobs in their order. Those that cannot be decoded are buried and left out: no retry would help. */
  readonly decode: (
    queue: JobQueue["Service"],
    jobs: ReadonlyArray<Job>
  ) => Effect.Effect<ReadonlyArray<DecodedJob<Payload>>, Unavailable>
}

const define = <Payload extends Keyed, Keyed>(definition: {
  readonly queue: Queue
  readonly keyOf: (payload: Keyed) => string | null
  readonly encode: (payload: Payload) => Json
  readonly payloadOf: (job: Job) => Option.Option<Payload>
}): JobDefinition<Payload, Keyed> => {
  const { encode, keyOf, payloadOf, queue: name } = definition
  const keysOf = (payloads: ReadonlyArray<Keyed>): ReadonlyArray<string> => [
    ...new Set(payloads.flatMap((payload) => keyOf(payload) ?? []))
  ]
  return {
    keyOf,
    job: ({ accountId, id, payload, runAt }) => ({
      id,
      accountId,
      queue: name,
      key: keyOf(payload),
      runAt,
      payload: encode(payload)
    }),
    owns: (job) => Option.exists(payloadOf(job), (payload) => keyOf(payload) === job.key),
    cancel: (queue, accountId, payloads) => queue.cancel(accountId, name, keysOf(payloads)),
    erase: (queue, accountId, payloads) => queue.erase(accountId, name, keysOf(payloads)),
    decode: Effect.fnUntraced(function* (queue, jobs) {
      const decoded: Array<DecodedJob<Payload>> = []
      const undecodable: Array<Job> = []
      for (const job of jobs) {
        const payload = payloadOf(job)
        if (Option.isSome(payload)) decoded.push({ job, payload: payload.value })
        else undecodable.push(job)
      }
      if (undecodable.length > 0) {
        yield* queue.bury(undecodable, payloadInvalid, yield* Clock.currentTimeMillis)
      }
      return decoded
    })
  }
}

/** Defines a kind of job. The key and the names of the payload's fields are stored: they never change. */
export const defineJob = <Payload extends Keyed, Keyed>(definition: {
  readonly queue: Queue
  readonly key: (payload: Keyed) => string | null
  readonly payload: Schema.Codec<Payload, Json>
}): JobDefinition<Payload, Keyed> => {
  const decode = Schema.decodeUnknownOption(definition.payload)
  return define({
    queue: definition.queue,
    keyOf: definition.key,
    encode: Schema.encodeSync(definition.payload),
    payloadOf: (job) => decode(job.payload)
  })
}

/**
 * Defines a kind of job whose key alone says what it is for: `prefix`, then the payload. `stored` stands in the
 * database in place of a payload and is not read.
 */
export const defineKeyedJob = (definition: {
  readonly queue: Queue
  readonly prefix: string
  readonly stored: Json
}): JobDefinition<string> => {
  const { prefix, queue, stored } = definition
  return define({
    queue,
    keyOf: (payload) => prefix + payload,
    encode: () => stored,
    payloadOf: ({ key }) =>
      key?.startsWith(prefix) === true ? Option.some(key.slice(prefix.length)) : Option.none()
  })
}

/** The payload of jobs that are for an account as a whole. Both forms are stored. */
export const NoPayload = Schema.NullOr(Schema.Struct({}))
