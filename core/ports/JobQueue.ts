/**
 * Stores background jobs: durable, leased, retried, fair between accounts. A job runs at least once, so handlers are
 * idempotent. A handler whose lease expired cannot complete a job that another worker claimed (each claim is fenced).
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
  /** Unique among the account's pending jobs of the queue: a second one with the same key is not added. */
  readonly key: string | null
  /** Not before this time, epoch milliseconds. */
  readonly runAt: number
  readonly payload: Json
}

/** A claimed job: the claim holds until `leasedUntil`, unless the job is completed, retried, buried or released before. */
export interface Job extends NewJob {
  /** How often the job was claimed, this claim included, from 1. With the id it fences the claim. */
  readonly attempts: number
  /** Why the previous attempt failed; null where none did. */
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
  /** Accounts whose jobs are left out. */
  readonly except?: ReadonlyArray<string>
}

/** How much a queue holds. */
export interface Depth {
  readonly queue: Queue
  /** Pending and claimed jobs. */
  readonly pending: number
  /** Buried jobs. */
  readonly buried: number
  /** The earliest time a pending job falls due, epoch milliseconds; null when none is pending. */
  readonly nextRunAt: number | null
}

/** Every state of a job that is listed. */
export const jobStates = ["Pending", "Running", "Buried"] as const

/** Whether a job waits, was claimed, or was given up on. */
export type JobState = (typeof jobStates)[number]

/** A job as a list shows it, without its payload. */
export interface JobEntry {
  readonly id: string
  readonly accountId: string
  readonly queue: Queue
  readonly state: JobState
  /** How often it was claimed. */
  readonly attempts: number
  /** When it falls due; of a running one, when its lease ends; of a buried one, when it was buried. Epoch milliseconds. */
  readonly at: number
  /** Why the previous attempt failed, or why it was buried; null where none did. */
  readonly reason: string | null
}

/** Which jobs a list shows. */
export interface JobFilter {
  readonly queue?: Among<Queue>
  readonly accountId?: Among<string>
  readonly state?: Among<JobState>
}

/** An account whose work of a queue is late. */
export interface Waiting {
  readonly queue: Queue
  readonly accountId: string
  /** When its oldest due job fell due, epoch milliseconds. */
  readonly dueAt: number
}

/** The lease of a claim expired and another worker claimed the job: its writes must be rolled back. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{ readonly ids: ReadonlyArray<string> }> {}

/** The port of background jobs. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Adds jobs in the caller's transaction; they can be claimed once it commits, and waiting workers wake then.
     * A job whose key is already pending is left out. A claimed job is not pending, so a job enqueued while it runs is
     * kept.
     */
    readonly enqueue: (jobs: ReadonlyArray<NewJob>) => Effect.Effect<void, Unavailable>
    /**
     * Claims jobs of a queue that are due, or whose lease expired. Takes from the accounts in turn: one account's backlog
     * never starves another's. The earliest due of an account come first. Never blocks on another claim.
     */
    readonly claim: (request: ClaimRequest) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /** Deletes jobs that are done. `LeaseLost` when a claim was lost: then nothing is completed. */
    readonly complete: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /**
     * Locks claims until the caller's transaction ends, whose writes are then those of the worker that has the jobs. `LeaseLost`
     * when a claim was lost.
     */
    readonly hold: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
    /**
     * Extends the leases of claims that are still held to `lease` milliseconds from `now`, and returns those claims. For work
     * that outlasts a lease; work whose claim was lost must stop.
     */
    readonly extend: (
      jobs: ReadonlyArray<Job>,
      lease: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<Job>, Unavailable>
    /**
     * Makes jobs pending again, due at `at`, with `why` as their last error. Lost claims are ignored. A job whose key is
     * pending is dropped in favour of the pending one.
     */
    readonly retry: (jobs: ReadonlyArray<Job>, at: number, why: string) => Effect.Effect<void, Unavailable>
    /** Buries jobs: they are not retried, and kept for the operator. Lost claims are ignored. */
    readonly bury: (jobs: ReadonlyArray<Job>, why: string, now: number) => Effect.Effect<void, Unavailable>
    /**
     * Makes jobs pending again as if never claimed, due at `at`, or each at its own time: at a shutdown, or when they cannot be
     * done before. Lost claims are ignored.
     */
    readonly release: (
      jobs: ReadonlyArray<Job>,
      at: number | ReadonlyArray<number>
    ) => Effect.Effect<void, Unavailable>
    /** Deletes an account's pending jobs with those keys; claimed ones run on. Returns the keys of the deleted. */
    readonly cancel: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * Makes an account's pending jobs with those keys due at `at`, epoch milliseconds, that are due later. Claimed ones run on,
     * and no job is added: what is worked on at this moment gets no second job.
     */
    readonly makeDue: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>,
      at: number
    ) => Effect.Effect<void, Unavailable>
    /** Deletes an account's pending and buried jobs with those keys; claimed ones run on. */
    readonly erase: (
      accountId: string,
      queue: Queue,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<void, Unavailable>
    /**
     * Deletes jobs buried before `before`, epoch milliseconds, the oldest first, at most `limit`; returns how many.
     */
    readonly pruneBuried: (before: number, limit: number) => Effect.Effect<number, Unavailable>
    /** Jobs that pass a filter by their time, the earliest first unless the page is sorted otherwise. */
    readonly list: (filter: JobFilter, page: PageRequest) => Effect.Effect<Page<JobEntry>, Unavailable>
    /**
     * Makes a buried job pending again, due at `now`, as if never claimed, in favour of which a pending one with its key
     * stays. Returns it as it was buried; null where none has that id.
     */
    readonly retryBuried: (id: string, now: number) => Effect.Effect<JobEntry | null, Unavailable>
    /** Deletes a buried job and returns it; null where none has that id. */
    readonly dropBuried: (id: string) => Effect.Effect<JobEntry | null, Unavailable>
    /** The depth of every queue. */
    readonly depth: Effect.Effect<ReadonlyArray<Depth>, Unavailable>
    /**
     * For each queue, the accounts whose oldest due job has waited longest at `now`, longest first, up to `limit` of a
     * queue.
     */
    readonly waiting: (now: number, limit: number) => Effect.Effect<ReadonlyArray<Waiting>, Unavailable>
    /** For each of those queues that has jobs, the earliest time at which one can be claimed, epoch milliseconds. */
    readonly nextDue: (queues: ReadonlyArray<Queue>) => Effect.Effect<ReadonlyMap<Queue, number>, Unavailable>
    /**
     * Subscribes to commits that add jobs to the queue, and returns an effect that waits for the next one. A commit between
     * two waits ends the second wait at once.
     */
    readonly wakeups: (queue: Queue) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/ports/JobQueue") {}
