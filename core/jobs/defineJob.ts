/**
 * Defines a kind of job in one place: its queue, its key, and how its data is stored and read.
 *
 * @module
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { Job, JobQueue, NewJob, Queue } from "../ports/JobQueue.ts"
import type { Json } from "../shared/Json.ts"

/** Why a job is buried whose payload its definition cannot decode. */
export const payloadInvalid = "jobs.payload_invalid"

/** A claimed job with its payload decoded. */
export interface DecodedJob<Payload> {
  readonly job: Job
  readonly payload: Payload
}

/** A kind of job. `Keyed` is the part of the payload that the key is made of. */
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
    /** The key of a payload's job: at most one job of a key is pending. Null where several may be. */
    keyOf,
    /** A job to enqueue, due at `runAt` (epoch milliseconds). */
    job: (given: Pick<NewJob, "accountId" | "id" | "runAt"> & { readonly payload: Payload }): NewJob => ({
      ...given,
      queue: name,
      key: keyOf(given.payload),
      payload: encode(given.payload)
    }),
    /** Whether a job of the queue is of this kind: its payload can be decoded and its key is that payload's. */
    owns: (job: Job) => Option.exists(payloadOf(job), (payload) => keyOf(payload) === job.key),
    /** Cancels the account's pending jobs of those payloads; leased ones run on. Returns the keys of the cancelled. */
    cancel: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>) =>
      queue.cancel(accountId, name, keysOf(payloads)),
    /** Makes the account's pending jobs of those payloads due at `at`, epoch milliseconds, that are due later. */
    makeDue: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>, at: number) =>
      queue.makeDue(accountId, name, keysOf(payloads), at),
    /** Removes the account's pending and buried jobs of those payloads; leased ones run on. */
    erase: (queue: JobQueue["Service"], accountId: string, payloads: ReadonlyArray<Keyed>) =>
      queue.erase(accountId, name, keysOf(payloads)),
    /** The decoded jobs in their order. Those that cannot be decoded are buried and left out: no retry would help. */
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

/** Defines a kind of job. The key and the names of the payload's fields are stored: they never change. */
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
 * Defines a kind of job whose key alone says what it is for: `prefix`, then the payload. `stored` stands in the
 * database in place of a payload and is not read.
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

/** The payload of jobs that are for an account as a whole. Both forms are stored. */
export const NoPayload = Schema.NullOr(Schema.Struct({}))
