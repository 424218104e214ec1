/**
 * Stores background jobs: durable, leased, retried, and fair between accounts. A job runs at least once, so handlers are
 * idempotent. Each claim is fenced: a handler whose lease expired cannot complete a job that another worker has claimed since.
 *
 * @module
 */
import { Context, Data, type Effect, type Scope } from "effect"
import type { Among, Page, PageRequest } from "../shared/Page.ts"
import type { Unavailable } from "../shared/Problem.ts"
import type { Json } from "../shared/Json.ts"

/** Every queue. */
export const queues = [
  "events",
  "runs",
  "calls",
  "deliveries",
  "campaignEmails",
  "notifications",
  "carts",
  "conversions",
  "retention",
  "domains",
  "imports",
  "campaigns",
  "mail"
] as const

/** The name of a queue. */
export type Queue = (typeof queues)[number]

/** A job to enqueue. */
export interface NewJob {
  readonly id: string
  readonly accountId: string
  readonly queue: Queue
  /** Unique among the account's pending jobs in the queue: a second job with the same key is not added. Null for no key. */
  readonly key: string | null
  /** The job does not run before this time, epoch milliseconds. */
  readonly runAt: number
  readonly payload: Json
}

/** A claimed job. The claim holds until `leasedUntil`, or until the job is completed, retried, buried or released. */
export interface Job extends NewJob {
  /** How often the job was claimed, including this claim, from 1. Together with the id it fences the claim. */
  readonly attempts: number
  /** Why the previous attempt failed; null if none did. */
  readonly lastError: string | null
  /** Epoch milliseconds. */
  readonly leasedUntil: number
}

/** Which jobs to claim. */
export interface ClaimRequest {
  readonly queue: Queue
  /** The most jobs. */
  readonly limit: number
  /** How long the claims hold, milliseconds. */
  readonly lease: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Accounts whose jobs are not claimed. */
  readonly except?: ReadonlyArray<string>
}

/** The number of jobs in a queue. */
export interface Depth {
  readonly queue: Queue
  /** Pending and claimed jobs. */
  readonly pending: number
  /** Buried jobs. */
  readonly buried: number
  /** When the earliest pending job is due, epoch milliseconds; null if none is pending. */
  readonly nextRunAt: number | null
}

/** The states of a job. */
export const jobStates = ["Pending", "Running", "Buried"] as const

/** Whether a job waits, is claimed, or was given up after too many failures. */
export type JobState = (typeof jobStates)[number]

/** A job as lists show it, without its payload. */
export interface JobEntry {
  readonly id: string
  readonly accountId: string
  readonly queue: Queue
  readonly state: JobState
  /** How often the job was claimed. */
  readonly attempts: number
  /** When a pending job is due, when the lease of a running job ends, or when a buried job was buried. Epoch milliseconds. */
  readonly at: number
  /** Why the previous attempt failed, or why the job was buried; null if none did. */
  readonly reason: string | null
}

/** Which jobs a list shows. */
export interface JobFilter {
  readonly queue?: Among<Queue>
  readonly accountId?: Among<string>
  readonly state?: Among<JobState>
}

/** An account with overdue jobs in a queue. */
export interface Waiting {
  readonly queue: Queue
  readonly accountId: string
  /** When its oldest due job became due, epoch milliseconds. */
  readonly dueAt: number
}

/** The lease of a claim expired and another worker claimed the job: the caller's writes must be rolled back. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly ids: ReadonlyArray<string> }> {}

/** The port of background jobs. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Adds jobs in the caller's transaction. When it commits, the jobs can be claimed and waiting workers wake up. A job whose
     * key is already pending is not added. A claimed job is not pending, so a job that is enqueued while another with its key
     * runs is kept.
     */
    readonly enqueue: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, Unavailable>
    /**
     * Claims jobs of a queue that are due, or whose lease expired. Takes from the accounts in turn, so that one account's backlog
     * never starves another's; within an account, the earliest due job comes first. Never waits for another claim.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /** Deletes jobs that are done. `LeaseLost` if any claim was lost; then nothing is completed. */
    readonly complete: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /**
     * Locks claims until the caller's transaction ends, so that its writes are those of the worker that has the jobs. `LeaseLost`
     * if a claim was lost.
     */
    readonly hold: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /**
     * Extends the leases of claims that are still held to `lease` milliseconds from `now`, and returns those claims. For work
     * that takes longer than a lease; work whose claim was lost must stop.
     */
    readonly extend: (
      jobs: ReadonlyArray<Job>,
      lease: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /**
     * Makes jobs pending again, due at `at`, with `why` as their last error. Lost claims are ignored. If another job with the
     * same key is pending, that one stays and the retried job is dropped.
     */
    readonly retry: (jobs: ReadonlyArray<Job>, at: number, why: string) => Effect.Effect<void, Unavailable>
    /** Buries jobs: they are not retried, but kept for the operator. Lost claims are ignored. */
    readonly bury: (jobs: ReadonlyArray<Job>, why: string, now: number) => Effect.Effect<void, Unavailable>
    /**
     * Makes jobs pending again as if never claimed, due at `at`, or each at its own time: at a shutdown, or if they cannot be
     * done earlier. Lost claims are ignored.
     */
    readonly release: (
      jobs: ReadonlyArray<Job>,
      at: number | ReadonlyArray<number>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes an account's pending jobs with the keys; claimed ones continue. Returns the keys of the deleted jobs. */
    readonly cancel: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Moves an account's pending jobs with the keys that are due later to `at`, epoch milliseconds. Claimed jobs continue, and no
     * job is added: a running job gets no second one.
     */
    readonly makeDue: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>,
      at: number
    ) => Effect.Effect<void, Unavailable>
    /**
     * The given keys for which an account has a pending or claimed job in one of the queues. Each has the time at which its
     * pending job is due, in epoch milliseconds, or null if only a claimed job exists.
     */
    readonly dueTimes: (
      accountId: string,
      queues: ReadonlyArray<Queue>,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number | null>, Unavailable>
    /** Deletes an account's pending and buried jobs with the keys; claimed ones continue. */
    readonly erase: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes jobs buried before `before`, epoch milliseconds, oldest first, at most `limit`; returns how many. */
    readonly pruneBuried: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Jobs that pass a filter, earliest first by `at` unless the page is sorted otherwise. */
    readonly list: (filter: JobFilter, page: PageRequest) => Effect.Effect<Page<JobEntry>, Unavailable>
    /**
     * Makes a buried job pending again, due at `now`, as if never claimed. If another job with its key is pending, that one stays
     * instead. Returns the job as it was buried; null if none has the id.
     */
    readonly retryBuried: (id: string, now: number) => Effect.Effect<JobEntry | null, Unavailable>
    /** Deletes a buried job and returns it; null if none has the id. */
    readonly dropBuried: (id: string) => Effect.Effect<JobEntry | null, Unavailable>
    /** The depth of every queue. */
    readonly depth: Effect.Effect<ReadonlyArray<Depth>, Unavailable>
    /**
     * For each queue, the accounts whose oldest due job has waited longest at `now`, longest first, up to `limit` per queue.
     */
    readonly waiting: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Waiting>, Unavailable>
    /** For each of the queues that has jobs, the earliest time at which one can be claimed, epoch milliseconds. */
    readonly nextDue: (queues: ReadonlyArray<Queue>) => Effect.Effect<ReadonlyMap<Queue, number>, Unavailable>
    /**
     * Subscribes to commits that add jobs to the queue, and returns an effect that waits for the next one. If a commit occurs
     * between two waits, the second wait ends at once.
     */
    readonly wakeups: (queue: Queue) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/ports/JobQueue") {}
