/**
 * Claims due jobs, passes them to their handlers in batches, and retries or buries jobs that fail. A buried job is kept for the
 * operator but no longer retried.
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Semaphore } from "effect"
import { type Job, JobQueue, type LeaseLost, queues, type Queue } from "../ports/JobQueue.ts"
import { describeDefect } from "../shared/Defect.ts"
import type { JobPool } from "./JobPool.ts"
import { inBatchSpan } from "./JobTraces.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { untraced } from "../shared/Tracing.ts"

/** Processes the jobs of a queue. A handler must complete, retry or release the jobs it receives. */
export interface Handler {
  /** The most jobs in a batch. */
  readonly batch: number
  /** How long a batch may take, milliseconds, before another worker may claim its jobs. */
  readonly lease: number
  readonly handle: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
  /** Records the consequences of burying jobs that failed too often. Runs before the burial, which happens even if this dies. */
  readonly onBuried?: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, Unavailable>
  /** The pool in which jobs continue after `handle` returns. */
  readonly pool?: JobPool
  /**
   * The interval between claims of few jobs while other jobs of the pool run, milliseconds. Jobs that become due meanwhile are
   * claimed together, and their results are written together. 25 by default.
   */
  readonly gatherPause?: number
}

/** The handlers by queue. */
export type Handlers = Partial<Record<Queue, Handler>>

/** The longest sleep of an idle worker, milliseconds: the most by which a lost wake-up delays jobs. */
const maxSleep = 5_000
/** The pause while all due jobs may belong to saturated accounts, milliseconds. */
const saturatedPause = 250
const defaultGatherPause = 25
/** How many such claims may follow each other at once, so that a few jobs never wait for others that are running. */
const gatherBurst = 4
/** The pause after the database was unavailable, milliseconds. */
const unavailablePause = 1_000
/** The error of jobs that are retried because the database was unavailable during their batch. */
const databaseLost = "common.unavailable"
/** The number of failures after which a job is buried. */
const maxAttempts = 12
const maxBackoff = 3_600_000
/** How long a shutdown waits for running jobs, milliseconds; the process has 9 s in total. */
const grace = 5_000

/** The delay before a failed job is retried, milliseconds: 1 s, doubling up to an hour. */
const backoff = (attempts: number): number => Math.min(maxBackoff, 1_000 * 2 ** (attempts - 1))

/** Processes the background jobs. */
export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Processes all due jobs, including those that become due as a result, and waits until no job is running. Returns the number
     * of batches that were handled.
     */
    readonly drain: Effect.Effect<number, Unavailable>
    /** When the next job is due, epoch milliseconds; null if none is pending. */
    readonly nextDue: Effect.Effect<number | null, Unavailable>
    /**
     * Runs until interrupted, and wakes up when a job is committed or becomes due. When interrupted, it finishes the current
     * batch and shuts the pools down, so that no lease remains.
     */
    readonly run: Effect.Effect<never>
  }
>()("svc/jobs/Worker") {
  /** The worker with the handlers that `handlers` creates. */
  static readonly layer = <E, R>(handlers: Effect.Effect<Handlers, E, R>) =>
    Layer.effect(Worker, Effect.flatMap(handlers, make))
}

const make = Effect.fnUntraced(function* (handlers: Handlers) {
  const queue = yield* JobQueue
  const served = queues.filter((name) => handlers[name] !== undefined)
  /** Allow one batch of a queue at a time: `drain` waits for the current batch. */
  const locks = new Map(served.map((name) => [name, Semaphore.makeUnsafe(1)]))
  /** The queues for which a batch is currently being claimed or handled. */
  const working = new Set<Queue>()

  /** The claimed jobs whose batch failed because the database was unavailable. */
  const unfinished = new Map<Queue, ReadonlyArray<Job>>()

  /** Retries jobs after their backoff, at most `longest` milliseconds. */
  const retry = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>, why: string, longest: number) {
    const now = yield* Clock.currentTimeMillis
    const byAttempts = Map.groupBy(jobs, (job) => job.attempts)
    for (const [attempts, group] of byAttempts)
      yield* queue.retry(group, now + Math.min(longest, backoff(attempts)), why)
  })

  const fail = Effect.fnUntraced(function* (handler: Handler, jobs: ReadonlyArray<Job>, why: string) {
    const now = yield* Clock.currentTimeMillis
    // Nothing is recorded about jobs that another worker has claimed meanwhile.
    const exhausted = yield* queue.extend(
      jobs.filter((job) => job.attempts >= maxAttempts),
      handler.lease,
      now
    )
    if (exhausted.length > 0) {
      if (handler.onBuried !== undefined) {
        yield* Effect.catchDefect(handler.onBuried(exhausted), (defect) =>
          Effect.annotateLogs(
            Effect.logError("handling of buried jobs failed"),
            describeDefect(Cause.die(defect))
          )
        )
      }
      yield* queue.bury(exhausted, why, now)
    }
    yield* retry(
      jobs.filter((job) => job.attempts < maxAttempts),
      why,
      maxBackoff
    )
  })

  /**
   * Requeues unfinished jobs before the next claim, so that they need not wait for their leases to expire. They are due only
   * after a delay, because their own statements may be the cause of the unavailability.
   */
  const requeue = (name: Queue) =>
    Effect.suspend(() => {
      const jobs = unfinished.get(name) ?? []
      if (jobs.length === 0) return Effect.void
      return Effect.andThen(
        retry(jobs, databaseLost, handlers[name]!.lease),
        Effect.sync(() => unfinished.delete(name))
      )
    })

  /** Handles a batch. If it fails, its jobs are handled one by one, so that only the faulty job fails. */
  const attempt = (handler: Handler, jobs: ReadonlyArray<Job>): Effect.Effect<void, Unavailable> =>
    Effect.flatMap(Effect.exit(handler.handle(jobs)), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.void
      const error = Cause.findErrorOption(exit.cause)
      if (error._tag === "Some") {
        // If a lease was lost, another worker has the jobs. An unavailable database does not count as a failure of the jobs.
        return error.value._tag === "LeaseLost" ? Effect.void : Effect.fail(error.value)
      }
      if (jobs.length > 1) {
        return Effect.forEach(jobs, (job) => attempt(handler, [job]), { discard: true })
      }
      const why = Cause.squash(exit.cause)
      return Effect.andThen(
        Effect.annotateLogs(Effect.logError("job failed"), {
          queue: jobs[0]!.queue,
          job: jobs[0]!.id,
          ...describeDefect(exit.cause)
        }),
        fail(handler, jobs, why instanceof Error ? why.name : "unknown")
      )
    })

  /** Claims and handles one batch when there is capacity for it. Returns its number of jobs. */
  const step = (name: Queue): Effect.Effect<number, Unavailable> => {
    const handler = handlers[name]!
    const { batch, lease, pool } = handler
    // Uninterruptible, so that no lease remains.
    const work = Effect.uninterruptible(
      Effect.gen(function* () {
        working.add(name)
        yield* requeue(name)
        const room = pool === undefined ? { limit: batch } : pool.claimRoom(batch)
        const now = yield* Clock.currentTimeMillis
        // Not traced, because most claims of an idle service find nothing.
        const jobs = yield* untraced(queue.claim({ queue: name, lease, now, ...room }))
        if (jobs.length === 0) return 0
        yield* Effect.tapError(inBatchSpan(name, jobs, now, attempt(handler, jobs)), () =>
          Effect.sync(() => {
            unfinished.set(name, pool === undefined ? jobs : jobs.filter((job) => !pool.has(job)))
          })
        )
        return jobs.length
      }).pipe(Effect.ensuring(Effect.sync(() => working.delete(name))))
    )
    return locks.get(name)!.withPermit(pool === undefined ? work : Effect.andThen(pool.awaitCapacity, work))
  }

  const isBusy = () =>
    working.size > 0 || unfinished.size > 0 || served.some((name) => (handlers[name]!.pool?.size() ?? 0) > 0)

  const nextDue = untraced(queue.nextDue(served))

  /** The queues with due jobs, found by one look-up instead of a claim for each. */
  const dueNow = Effect.gen(function* () {
    const times = yield* nextDue
    const now = yield* Clock.currentTimeMillis
    return new Set(served.filter((name) => (times.get(name) ?? Infinity) <= now))
  })

  const drain = Effect.gen(function* () {
    let handled = 0
    let isDone = false
    while (!isDone) {
      // A batch that begins or ends during the look-up may leave due jobs.
      const wasBusy = isBusy()
      let due = yield* dueNow
      const isWhole = wasBusy || isBusy()
      if (due.size === 0 && !isWhole) break
      isDone = true
      for (const name of served) {
        if (!isWhole && !due.has(name)) continue
        let isChanged = false
        while ((yield* step(name)) > 0) {
          handled++
          isChanged = true
        }
        const { pool } = handlers[name]!
        if (pool !== undefined && pool.size() > 0) {
          yield* pool.idle
          isChanged = true
        }
        if (!isChanged) continue
        isDone = false
        // Handling may have enqueued jobs in the following queues.
        if (!isWhole) due = yield* dueNow
      }
    }
    return handled
  })

  const idle = (name: Queue, wake: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const due = (yield* untraced(queue.nextDue([name]))).get(name) ?? Infinity
      const now = yield* Clock.currentTimeMillis
      const wait = Math.min(maxSleep, Math.max(0, due - now))
      if (wait > 0) return yield* Effect.raceFirst(wake, Effect.sleep(wait))
      const { batch, pool } = handlers[name]!
      // The due jobs may belong to accounts that have used up their share.
      if (pool !== undefined && pool.claimRoom(batch).except.length > 0) {
        yield* Effect.raceAllFirst([wake, pool.nextFinished, Effect.sleep(saturatedPause)])
      }
    })

  /** For each queue, the time of its next claim of few jobs if these were exactly `gatherPause` apart. */
  const paced = new Map<Queue, number>()

  const gather = (name: Queue, claimed: number): Effect.Effect<void> => {
    const { batch, gatherPause = defaultGatherPause, pool } = handlers[name]!
    if (pool === undefined || pool.size() === 0 || claimed >= batch / 2) return Effect.void
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const last = Math.min(now, paced.get(name) ?? -Infinity)
      const next = Math.max(last, now - gatherBurst * gatherPause) + gatherPause
      paced.set(name, next)
      return next > now ? Effect.sleep(next - now) : Effect.void
    })
  }

  const serve = (name: Queue): Effect.Effect<never> =>
    Effect.scoped(
      Effect.flatMap(queue.wakeups(name), (wake) =>
        Effect.forever(
          Effect.flatMap(step(name), (claimed) =>
            claimed > 0 ? gather(name, claimed) : idle(name, wake)
          ).pipe(
            Effect.catchTag("Unavailable", () => Effect.sleep(unavailablePause)),
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause)
                ? Effect.failCause(cause as Cause.Cause<never>)
                : Effect.andThen(
                    Effect.annotateLogs(Effect.logError("worker failed"), describeDefect(cause)),
                    Effect.sleep(unavailablePause)
                  )
            )
          )
        )
      )
    )

  const shutdown = Effect.forEach(served, (name) => handlers[name]!.pool?.shutdown(grace) ?? Effect.void, {
    concurrency: "unbounded",
    discard: true
  })

  return Worker.of({
    drain,
    nextDue: Effect.map(nextDue, (times) => (times.size === 0 ? null : Math.min(...times.values()))),
    run: Effect.andThen(
      Effect.forEach(served, serve, { concurrency: "unbounded", discard: true }),
      Effect.never
    ).pipe(Effect.onInterrupt(() => shutdown))
  })
})
