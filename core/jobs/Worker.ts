/**
 * Claims due jobs, passes them to their handlers in batches, and retries or buries those that fail.
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

/** Processes the jobs of a queue. A handler completes, retries or releases the jobs it is given. */
export interface Handler {
  /** The most jobs of a batch. */
  readonly batch: number
  /** How long a batch may take, milliseconds; then another worker may claim its jobs. */
  readonly lease: number
  readonly handle: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
  /** Records what the burial of jobs that failed too often means. Runs before they are buried, which happens even if it dies. */
  readonly onBuried?: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, Unavailable>
  /** The pool in which jobs run on after `handle` returns. */
  readonly pool?: JobPool
  /**
   * The time between claims of few jobs while others of the pool run, milliseconds: jobs that fall due meanwhile are claimed,
   * and their results written, together. 25 unless given.
   */
  readonly gatherPause?: number
}

/** The handlers by queue. */
export type Handlers = Partial<Record<Queue, Handler>>

/** The longest that an idle worker sleeps, milliseconds: a lost wake-up delays jobs by no more than this. */
const maxSleep = 5_000
/** The pause while all due jobs may be of saturated accounts, milliseconds. */
const saturatedPause = 250
const defaultGatherPause = 25
/** How many such claims may follow each other at once, so that a few jobs never wait for others that run. */
const gatherBurst = 4
/** The pause after the database was unavailable, milliseconds. */
const unavailablePause = 1_000
/** Why jobs are retried whose batch failed because the database was unavailable. */
const databaseLost = "common.unavailable"
/** A job that failed this often is buried. */
const maxAttempts = 12
const maxBackoff = 3_600_000
/** How long a shutdown waits for running jobs, milliseconds; the process has 9 s in all. */
const grace = 5_000

/** How long after a failure a job is retried, milliseconds: 1 s, doubling up to an hour. */
const backoff = (attempts: number): number => Math.min(maxBackoff, 1_000 * 2 ** (attempts - 1))

/** Processes the background jobs. */
export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Processes all due jobs, those that become due by it included, and waits until no job runs. Returns how many batches
     * were handled.
     */
    readonly drain: Effect.Effect<number, Unavailable>
    /** When the next job falls due, epoch milliseconds; null when no job is pending. */
    readonly nextDue: Effect.Effect<number | null, Unavailable>
    /**
     * Runs until interrupted: wakes when a job is committed or falls due. An interruption lets the current batch finish and
     * shuts the pools down, so that no lease remains.
     */
    readonly run: Effect.Effect<never>
  }
>()("svc/jobs/Worker") {
  /** The worker of the handlers that `handlers` makes. */
  static readonly layer = <E, R>(handlers: Effect.Effect<Handlers, E, R>) =>
    Layer.effect(Worker, Effect.flatMap(handlers, make))
}

const make = Effect.fnUntraced(function* (handlers: Handlers) {
  const queue = yield* JobQueue
  const served = queues.filter((name) => handlers[name] !== undefined)
  /** One batch of a queue at a time: `drain` waits for the current batch. */
  const locks = new Map(served.map((name) => [name, Semaphore.makeUnsafe(1)]))
  /** The queues of which a batch is claimed or handled now. */
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
    const exhausted = jobs.filter((job) => job.attempts >= maxAttempts)
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
   * Requeues unfinished jobs before the next claim, so that they do not wait for their leases to expire. They are not due
   * at once: their own statements may be what makes the database unavailable.
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

  /** Handles a batch. The jobs of a failed batch are handled one by one, so that one bad job fails alone. */
  const attempt = (handler: Handler, jobs: ReadonlyArray<Job>): Effect.Effect<void, Unavailable> =>
    Effect.flatMap(Effect.exit(handler.handle(jobs)), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.void
      const error = Cause.findErrorOption(exit.cause)
      if (error._tag === "Some") {
        // A lost lease means that another worker has the jobs; an unavailable database is not counted as their failure.
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

  /** Claims and handles one batch once there is capacity for it. Returns its number of jobs. */
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
        // Most claims of an idle service find nothing, so they are not traced.
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

  /** The queues that have due jobs: one look at all of them instead of a claim from each. */
  const dueNow = Effect.gen(function* () {
    const times = yield* nextDue
    const now = yield* Clock.currentTimeMillis
    return new Set(served.filter((name) => (times.get(name) ?? Infinity) <= now))
  })

  const drain = Effect.gen(function* () {
    let handled = 0
    let isDone = false
    while (!isDone) {
      // A batch that begins or ends meanwhile may leave jobs that are due.
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
        // What was handled may have caused jobs of the queues that follow.
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
      // The due jobs may be those of accounts that have their share.
      if (pool !== undefined && pool.claimRoom(batch).except.length > 0) {
        yield* Effect.raceAllFirst([wake, pool.nextFinished, Effect.sleep(saturatedPause)])
      }
    })

  /** When the next claim of few jobs would be, of each queue, had they been its `gatherPause` apart. */
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
