/**
 * Defines a kind of job in one place: its queue, its key, and how its payload is encoded and decoded.
 *
 * @module
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { Job, JobQueue, NewJob, Queue } from "../ports/JobQueue.ts"
import type { Json } from "../shared/Json.ts"

/** The reason with which a job is buried if its definition cannot decode its payload. */
export const payloadInvalid = "jobs.payload_invalid"

/** A claimed job with its payload decoded. */
export interface DecodedJob<Payload> {
  readonly job: Job
  readonly payload: Payload
}

/** Defines a kind of job. `Keyed` is the part of the payload from which the key is made. */
const define = <Payload extends Keyed, Keyed>(definition: {
  readonly queue: Queue
  readonly keyOf: (payload: Keyed) => string | null
  readonly encode: (payload: Payload) => Json
  readonly payloadOf: (job: Job) => Option.Option<Payload>
}) => {
  const { encode, keyOf, payloadOf, queue: name } = definition
  const keysOf = (payloads: ReadonlyArray<Keyed>): ReadonlyArray<string> => [
    ...new Set(payloads.flatMap((payload) => keyOf(payload) ?? []))
  ]
  return {
    /** The key for a payload: at most one job with a key is pending. Null if several may be. */
    keyOf,
    /** A job to enqueue, due at `runAt` (epoch milliseconds). */
    job: (given: Pick<NewJob, "accountId" | "id" | "runAt"> & { readonly payload: Payload }): NewJob => ({
      ...given,
      queue: name,
      key: keyOf(given.payload),
      payload: encode(given.payload)
    }),
    /** Whether a job in the queue is of this kind: its payload can be decoded and has the job's key. */
    owns: (job: Job) => Option.exists(payloadOf(job), (payload) => keyOf(payload) === job.key),
    /** Cancels the account's pending jobs with the payloads; leased ones continue. Returns the keys of the cancelled jobs. */
    cancel: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>) =>
      queue.cancel(accountId, name, keysOf(payloads)),
    /** Moves the account's pending jobs with the payloads that are due later to `at`, epoch milliseconds. */
    makeDue: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>, at: number) =>
      queue.makeDue(accountId, name, keysOf(payloads), at),
    /** Deletes the account's pending and buried jobs with the payloads; leased ones continue. */
    erase: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>) =>
      queue.erase(accountId, name, keysOf(payloads)),
    /** The decoded jobs, in order. Jobs that cannot be decoded are buried and left out, since retrying would not help. */
    decode: Effect.fnUntraced(function* (queue: JobQueue["Service"], jobs: ReadonlyArray<Job>) {
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

/** Defines a kind of job. The key and the names of the payload's fields are stored, so they must never change. */
export const defineJob = <Payload extends Keyed, Keyed>(definition: {
  readonly queue: Queue
  readonly key: (payload: Keyed) => string | null
  readonly payload: Schema.Codec<Payload, Json>
}) => {
  const decode = Schema.decodeUnknownOption(definition.payload)
  return define({
    queue: definition.queue,
    keyOf: definition.key,
    encode: Schema.encodeSync(definition.payload),
    payloadOf: (job) => decode(job.payload)
  })
}

/**
 * Defines a kind of job that is fully described by its key: `prefix` followed by the payload. `stored` is written to the database
 * in place of a payload and is not read.
 */
export const defineKeyedJob = (definition: {
  readonly queue: Queue
  readonly prefix: string
  readonly stored: Json
}) => {
  const { prefix, queue, stored } = definition
  return define({
    queue,
    keyOf: (payload: string) => prefix + payload,
    encode: () => stored,
    payloadOf: ({ key }) =>
      key?.startsWith(prefix) === true ? Option.some(key.slice(prefix.length)) : Option.none()
  })
}

/** The payload of jobs for an account as a whole. Both forms occur in the database. */
export const NoPayload = Schema.NullOr(Schema.Struct({}))
