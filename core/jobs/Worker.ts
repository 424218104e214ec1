/**
 * Does the background work: claims jobs, hands batches to their handlers, and sees to those that fail.
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

/** What is done with the jobs of a queue. The handler completes or retries the jobs it is given. */
export interface Handler {
  /** The most jobs handed over at a time. */
  readonly batch: number
  /** How long a batch may take, milliseconds; after it another worker takes it over. */
  readonly lease: number
  readonly handle: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, LeaseLost | Unavailable>
  /**
   * Of a handler whose jobs others wait for: says of jobs that failed too often that nothing more will come of them.
   * Run before they are buried, which they are even if this dies.
   */
  readonly giveUp?: (jobs: ReadonlyArray<Job>) => Effect.Effect<void, Unavailable>
  /** Of a handler whose jobs are still worked on when `handle` answers: where they are. */
  readonly flight?: JobPool
}

/** The handlers of the queues that have one. */
export type Handlers = Partial<Record<Queue, Handler>>

/** The longest an idle worker sleeps when nothing is due; a lost wake-up costs no more than this. */
const maxSleep = 5_000
/** The pause while all that is due may be of accounts that have enough in flight. */
const crowdedPause = 250
/**
 * The pause between claims of little while there is something in flight, milliseconds: what falls due meanwhile is claimed,
 * and written down, together. One that comes alone never waits.
 */
const gatherPause = 25
/** The pause after the store could not be reached. */
const unavailablePause = 1_000
/** Why jobs are tried again whose batch the store did not let finish. */
const storeLost = "common.unavailable"
/** A job that failed this often is given up on. */
const maxAttempts = 12
const maxBackoff = 3_600_000
/** How long a stop waits for what is in flight; the process has 9 s in all. */
const grace = 5_000

/** When a failed job is tried again: after 1 s, doubling to an hour. */
const backoff = (attempts: number): number => Math.min(maxBackoff, 1_000 * 2 ** (attempts - 1))

/** Does the background work of a process. */
export class Worker extends Context.Service<
  Worker,
  {
    /**
     * Does everything that is due now, also what that makes due, and waits until nothing is in flight; answers how
     * many batches were handled.
     */
    readonly drain: Effect.Effect<number, Unavailable>
    /** The time the next job falls due, epoch milliseconds; null when there is none. */
    readonly nextDue: Effect.Effect<number | null, Unavailable>
    /**
     * Works until interrupted: wakes when work is committed or falls due. An interruption lets the batch in hand
     * finish and lands what is in flight, so no lease is left behind.
     */
    readonly run: Effect.Effect<never>
  }
>()("svc/jobs/Worker") {
  /** A worker over the handlers that `handlers` makes. */
  static readonly layer = <E, R>(handlers: Effect.Effect<Handlers, E, R>) =>
    Layer.effect(
      Worker,
      Effect.flatMap(handlers, (made) => make(made))
    )
}

const make = Effect.fnUntraced(function* (handlers: Handlers) {
  const queue = yield* JobQueue
  const served = queues.filter((name) => handlers[name] !== undefined)
  /** One batch of a queue at a time: who drains a queue waits for the batch that is in hand. */
  const turns = new Map(served.map((name) => [name, Semaphore.makeUnsafe(1)]))

  /** The jobs claimed here whose batch the store did not let finish. */
  const unfinished = new Map<Queue, ReadonlyArray<Job>>()

  /** Has jobs tried again after their backoff, which is at most so long. */
  const again = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>, why: string, longest: number) {
    const now = yield* Clock.currentTimeMillis
    const byAttempts = Map.groupBy(jobs, (job) => job.attempts)
    for (const [attempts, group] of byAttempts)
      yield* queue.retry(group, now + Math.min(longest, backoff(attempts)), why)
  })

  const fail = Effect.fnUntraced(function* (handler: Handler, jobs: ReadonlyArray<Job>, why: string) {
    const now = yield* Clock.currentTimeMillis
    const exhausted = jobs.filter((job) => job.attempts >= maxAttempts)
    if (exhausted.length > 0) {
      if (handler.giveUp !== undefined) {
        yield* Effect.catchDefect(handler.giveUp(exhausted), (defect) =>
          Effect.annotateLogs(Effect.logError("giving up failed"), describeDefect(Cause.die(defect)))
        )
      }
      yield* queue.bury(exhausted, why, now)
    }
    yield* again(
      jobs.filter((job) => job.attempts < maxAttempts),
      why,
      maxBackoff
    )
  })

  /**
   * Gives back what the store did not let finish, now that it may answer: else that would wait for its leases to run
   * out. It is not due at once, since what it needs of the store may be what the store cannot do.
   */
  const settle = (name: Queue) =>
    Effect.suspend(() => {
      const jobs = unfinished.get(name) ?? []
      if (jobs.length === 0) return Effect.void
      return Effect.andThen(
        again(jobs, storeLost, handlers[name]!.lease),
        Effect.sync(() => unfinished.delete(name))
      )
    })

  /** Hands a batch over. One that fails is taken apart, so that one bad job fails alone. */
  const attempt = (handler: Handler, jobs: ReadonlyArray<Job>): Effect.Effect<void, Unavailable> =>
    Effect.flatMap(Effect.exit(handler.handle(jobs)), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.void
      const error = Cause.findErrorOption(exit.cause)
      if (error._tag === "Some") {
        // A lost lease means that another worker has the jobs; an engine out of reach is nobody's fault.
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

  /** Claims and handles one batch, once there is room for it; answers of how many jobs it was. */
  const step = (name: Queue): Effect.Effect<number, Unavailable> => {
    const handler = handlers[name]!
    const { batch, flight, lease } = handler
    // Not interrupted in between: that would leave a lease behind.
    const work = Effect.uninterruptible(
      Effect.gen(function* () {
        yield* settle(name)
        const limit = flight === undefined ? batch : Math.min(batch, flight.room())
        const now = yield* Clock.currentTimeMillis
        // Most claims of an idle service find nothing: they are not worth a trace.
        const jobs = yield* untraced(queue.claim(name, limit, lease, now, flight?.crowded() ?? []))
        if (jobs.length === 0) return 0
        yield* Effect.tapError(inBatchSpan(name, jobs, now, attempt(handler, jobs)), () =>
          Effect.sync(() => {
            unfinished.set(name, flight === undefined ? jobs : jobs.filter((job) => !flight.carries(job)))
          })
        )
        return jobs.length
      })
    )
    return turns.get(name)!.withPermit(flight === undefined ? work : Effect.andThen(flight.boarding, work))
  }

  const drain = Effect.gen(function* () {
    let handled = 0
    let idle = false
    while (!idle) {
      idle = true
      for (const name of served) {
        while ((yield* step(name)) > 0) {
          handled++
          idle = false
        }
        const flight = handlers[name]!.flight
        if (flight !== undefined && flight.size() > 0) {
          yield* flight.landed
          idle = false
        }
      }
    }
    return handled
  })

  const idle = (name: Queue, wake: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const due = yield* untraced(queue.nextDue([name]))
      const now = yield* Clock.currentTimeMillis
      const wait = due === null ? maxSleep : Math.min(maxSleep, Math.max(0, due - now))
      if (wait > 0) return yield* Effect.raceFirst(wake, Effect.sleep(wait))
      const flight = handlers[name]!.flight
      // What is due may be theirs.
      if (flight !== undefined && flight.crowded().length > 0) {
        yield* Effect.raceAllFirst([wake, flight.departure, Effect.sleep(crowdedPause)])
      }
    })

  const gather = (name: Queue, claimed: number): Effect.Effect<void> => {
    const { batch, flight } = handlers[name]!
    return flight !== undefined && flight.size() > 0 && claimed < batch / 2
      ? Effect.sleep(gatherPause)
      : Effect.void
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

  const land = Effect.forEach(served, (name) => handlers[name]!.flight?.land(grace) ?? Effect.void, {
    concurrency: "unbounded",
    discard: true
  })

  return Worker.of({
    drain,
    nextDue: queue.nextDue(served),
    run: Effect.andThen(
      Effect.forEach(served, serve, { concurrency: "unbounded", discard: true }),
      Effect.never
    ).pipe(Effect.onInterrupt(() => land))
  })
})
