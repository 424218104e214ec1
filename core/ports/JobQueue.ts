/**
 * Background work: durable, leased, retried, fair between accounts. Delivery is at least once, so handlers are
 * idempotent; a handler that outlives its lease cannot complete what another took over (each claim is fenced).
 *
 * @module
 */
import { Context, Data, type Effect, type Scope } from "effect"
import type { Unavailable } from "../shared/Problem.ts"
import type { Json } from "../shared/Json.ts"

/** The queues there are. */
export const queues = [
  "events",
  "runs",
  "calls",
  "deliveries",
  "notifications",
  "carts",
  "retention",
  "domains",
  "imports"
] as const

/** The name of a queue. */
export type Queue = (typeof queues)[number]

/** A job to be done. */
export interface NewJob {
  readonly id: string
  readonly accountId: string
  readonly queue: Queue
  /** Unique among the account's pending jobs of the queue: a second one with the same key is not added. */
  readonly key: string | null
  /** Not before this time, epoch milliseconds. */
  readonly runAt: number
  readonly payload: Json
}

/** A job claimed: ours until `leasedUntil`, unless completed, retried, buried or released before. */
export interface Job extends NewJob {
  /** How often the job was claimed, this time included, from 1. With the id it fences the claim. */
  readonly attempts: number
  /** Why the attempt before failed, if one did. */
  readonly lastError: string | null
  /** Epoch milliseconds. */
  readonly leasedUntil: number
}

/** How much a queue holds. */
export interface Depth {
  readonly queue: Queue
  /** Jobs that wait or are leased. */
  readonly pending: number
  /** Jobs given up on. */
  readonly buried: number
  /** The earliest time a pending job falls due, epoch milliseconds; null when none is pending. */
  readonly nextRunAt: number | null
}

/** The lease of a claim ran out and another claim took the job: what was done for it must be rolled back. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly ids: ReadonlyArray<string> }> {}

/** The port of background work. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Adds jobs in the caller's transaction; they can be claimed once it commits, and waiting workers wake then.
     * A job whose key is pending already is left out. A job that is being worked on is not pending: work that
     * arrives meanwhile is kept.
     */
    readonly enqueue: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, Unavailable>
    /**
     * Takes up to `limit` jobs of a queue that are due at `now`, or whose lease ran out by then, for `lease`
     * milliseconds. Goes round the accounts: one account's backlog never starves another's. Within an account
     * the earliest due come first. Never blocks on another claim. Jobs of the accounts `except` are left.
     */
    readonly claim: (
      queue: Queue,
      limit: number,
      lease: number,
      now: number,
      except?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /** The jobs are done and go. `LeaseLost` when a claim is no longer ours: then nothing is completed. */
    readonly complete: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /**
     * Extends the leases of claims that are still ours to `lease` milliseconds from `now`, and answers those claims.
     * For work that outlasts a lease: whoever loses one stops.
     */
    readonly extend: (
      jobs: ReadonlyArray<Job>,
      lease: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /**
     * The jobs shall be tried again at `at`, with `why` kept. Claims no longer ours are left alone. Where a
     * pending job with the same key exists, that one stays and ours goes.
     */
    readonly retry: (jobs: ReadonlyArray<Job>, at: number, why: string) => Effect.Effect<void, Unavailable>
    /** The jobs are given up on and kept for the operator. Claims no longer ours are left alone. */
    readonly bury: (jobs: ReadonlyArray<Job>, why: string, now: number) => Effect.Effect<void, Unavailable>
    /**
     * The jobs go back untouched, due at `at`, as if never claimed: at a shutdown, or when it turns out that they
     * cannot be done before.
     */
    readonly release: (jobs: ReadonlyArray<Job>, at: number) => Effect.Effect<void, Unavailable>
    /** Removes an account's pending jobs of those keys; leased ones run on. Answers how many went. */
    readonly cancel: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<number, Unavailable>
    /** Removes an account's pending and buried jobs of those keys; leased ones run on. */
    readonly erase: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** The depth of every queue. */
    readonly depth: Effect.Effect<ReadonlyArray<Depth>, Unavailable>
    /** The earliest time at which a job of those queues can be claimed, epoch milliseconds; null when none. */
    readonly nextDue: (queues: ReadonlyArray<Queue>) => Effect.Effect<number | null, Unavailable>
    /**
     * An effect that waits for the next commit that added work to the queue. Registered at once; a commit
     * between two waits is not missed (one wake-up is remembered).
     */
    readonly wakeups: (queue: Queue) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/ports/JobQueue") {}
