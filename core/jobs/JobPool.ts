/**
 * Jobs that are still worked on after their batch was handed over: each has a fiber of its own, and its lease is
 * extended as long as that runs.
 *
 * @module
 */
import { Clock, Effect, Fiber, Latch, type Scope, Semaphore } from "effect"
import { type Job, JobQueue } from "../ports/JobQueue.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { inJobSpan } from "./JobTraces.ts"

/** A job in flight, as its fiber sees it. */
export interface RunningJob {
  /** The job, its claim as last extended. Ends of the claim go through `JobPool.claims`. */
  readonly job: () => Job
  /** Whether the claim was lost: another worker has the job. */
  readonly isLost: () => boolean
}

/** The jobs of a queue that are in flight. */
export interface JobPool {
  /** How many more jobs may be taken on board now. */
  readonly room: () => number
  /** The accounts that have as many jobs in flight as one may; no more of theirs are to be taken on board. */
  readonly crowded: () => ReadonlyArray<string>
  /** Waits until the next job leaves. */
  readonly departure: Effect.Effect<void>
  /** Whether a job is in flight. */
  readonly carries: (job: Job) => boolean
  /** How many jobs are in flight. */
  readonly size: () => number
  /** Waits until there is room. */
  readonly boarding: Effect.Effect<void>
  /** Waits until nothing is in flight. */
  readonly landed: Effect.Effect<void>
  /**
   * Works on a job in a fiber of its own. `work` is interrupted when the claim is lost, and by `land`.
   * `weight` counts against the most that all in flight may weigh.
   */
  readonly launch: (
    job: Job,
    weight: number,
    work: (passenger: RunningJob) => Effect.Effect<void>
  ) => Effect.Effect<void>
  /** Runs what ends claims of jobs in flight, never while leases are extended: that changes the claims. */
  readonly claims: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Takes nobody on board from now on, waits so many milliseconds for those in flight, then interrupts and awaits
   * them. To be run before the scope closes.
   */
  readonly land: (grace: number) => Effect.Effect<void>
}

interface Entry {
  job: Job
  lost: boolean
  readonly weight: number
  fiber: Fiber.Fiber<void> | null
}

/** How often leases are extended, of the length of a lease: so that two in a row may fail. */
const extensionsPerLease = 3

/**
 * Makes a flight. Its fibers live in the scope.
 *
 * @param most the most jobs in flight
 * @param mostOfAccount the most of one account, a batch more or less: those that wait for slow receivers leave room for others'
 * @param mostWeight nothing is taken on board while those in flight weigh more
 * @param lease how long a lease is extended to, milliseconds
 */
export const makeJobPool = (options: {
  readonly most: number
  readonly mostOfAccount?: number
  readonly mostWeight: number
  readonly lease: number
}): Effect.Effect<JobPool, never, JobQueue | Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const scope = yield* Effect.scope
    const entries = new Set<Entry>()
    const byId = new Map<string, Entry>()
    const claims = Semaphore.makeUnsafe(1)
    const open = Latch.makeUnsafe(true)
    const empty = Latch.makeUnsafe(true)
    const occupied = Latch.makeUnsafe(false)
    const departed = Latch.makeUnsafe(false)
    const { mostOfAccount = Infinity } = options
    const byAccount = new Map<string, number>()
    let weight = 0
    let landing = false

    const room = (): number =>
      landing || weight > options.mostWeight ? 0 : Math.max(0, options.most - entries.size)

    const leave = (entry: Entry): void => {
      entries.delete(entry)
      if (byId.get(entry.job.id) === entry) byId.delete(entry.job.id)
      weight -= entry.weight
      const others = byAccount.get(entry.job.accountId)! - 1
      if (others === 0) byAccount.delete(entry.job.accountId)
      else byAccount.set(entry.job.accountId, others)
      departed.openUnsafe()
      if (room() > 0) open.openUnsafe()
      if (entries.size === 0) {
        empty.openUnsafe()
        occupied.closeUnsafe()
      }
    }

    const lose = (entry: Entry): void => {
      entry.lost = true
      entry.fiber?.interruptUnsafe()
    }

    const launch: JobPool["launch"] = (job, jobWeight, work) =>
      Effect.suspend(() => {
        const before = byId.get(job.id)
        // Claimed again here: the claim before ran out.
        if (before !== undefined) lose(before)
        const entry: Entry = { job, lost: false, weight: jobWeight, fiber: null }
        entries.add(entry)
        byId.set(job.id, entry)
        weight += jobWeight
        byAccount.set(job.accountId, (byAccount.get(job.accountId) ?? 0) + 1)
        empty.closeUnsafe()
        occupied.openUnsafe()
        if (room() === 0) open.closeUnsafe()
        const run = Effect.ensuring(
          inJobSpan(job, work({ job: () => entry.job, isLost: () => entry.lost })),
          Effect.sync(() => leave(entry))
        )
        return Effect.map(Effect.forkIn(run, scope), (fiber) => {
          entry.fiber = fiber
        })
      }).pipe(Effect.uninterruptible)

    const extend: Effect.Effect<void, Unavailable> = claims.withPermit(
      Effect.suspend(() => {
        const held = [...entries].filter((entry) => !entry.lost)
        if (held.length === 0) return Effect.void
        return Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(
            queue.extend(
              held.map((entry) => entry.job),
              options.lease,
              now
            ),
            (extended) => {
              const jobs = new Map(extended.map((job) => [job.id, job]))
              for (const entry of held) {
                const job = jobs.get(entry.job.id)
                if (job === undefined) lose(entry)
                else entry.job = job
              }
            }
          )
        )
      })
    )

    // An engine out of reach is no reason to stop: what is lost by then shows at the next extension.
    const extending = yield* Effect.ignore(extend).pipe(
      Effect.delay(options.lease / extensionsPerLease),
      occupied.whenOpen,
      Effect.forever,
      Effect.forkIn(scope)
    )

    return {
      room,
      crowded: () =>
        [...byAccount].flatMap(([accountId, count]) => (count >= mostOfAccount ? [accountId] : [])),
      departure: Effect.suspend(() => {
        departed.closeUnsafe()
        return departed.await
      }),
      carries: (job) => byId.has(job.id),
      size: () => entries.size,
      boarding: open.await,
      landed: empty.await,
      launch,
      claims: claims.withPermit,
      land: Effect.fnUntraced(function* (grace) {
        landing = true
        open.closeUnsafe()
        if (grace > 0) yield* Effect.timeoutOption(empty.await, grace)
        // Should the store not answer it, nobody could end a claim.
        yield* Fiber.interrupt(extending)
        for (const entry of entries) entry.fiber?.interruptUnsafe()
        yield* empty.await
      })
    }
  })
