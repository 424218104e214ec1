/**
 * Runs each claimed job in a fiber of its own and extends its lease meanwhile, so that a slow job does not delay others.
 *
 * @module
 */
import { Clock, Effect, Fiber, Latch, Semaphore } from "effect"
import { type Job, JobQueue, type Queue } from "../ports/JobQueue.ts"
import { FairShares } from "../shared/FairShares.ts"
import { inJobSpan } from "./JobTraces.ts"

/** A job in a pool, as its work sees it. */
export interface RunningJob {
  /** The job with its claim as last extended. To complete, retry or release it, use `JobPool.endClaims`. */
  readonly job: () => Job
  /** Whether the claim was lost, so that another worker has the job. */
  readonly isLost: () => boolean
  /**
   * Stops counting the job towards the pool's limits, although it continues and its lease is extended. For a job that only waits,
   * and whose number its starter limits separately.
   */
  readonly park: () => void
  /**
   * Whether the job may continue. If so, it occupies one of the pool's unreserved slots (of all slots with `fromReserve`) until
   * it ends or is parked. A job that may not continue must end by itself.
   */
  readonly enter: (fromReserve: boolean) => boolean
}

/** The jobs that may currently be claimed for a pool. */
export interface ClaimRoom {
  /** The most jobs; 0 for none. */
  readonly limit: number
  /** The accounts whose jobs must not be claimed. */
  readonly except: ReadonlyArray<string>
}

/** The running jobs of a queue, or of several. */
export type JobPool = Omit<Effect.Success<ReturnType<typeof makeJobPool>>, "partOf">

interface Entry {
  job: Job
  lost: boolean
  parked: boolean
  entered: boolean
  readonly weight: number
  fiber: Fiber.Fiber<void> | null
}

/** How often a lease is extended within its duration. Two consecutive extensions may fail without losing it. */
const extensionsPerLease = 3

/**
 * Makes a pool. Its fibers live in the scope.
 *
 * @param maxJobs the most running jobs
 * @param maxJobsPerAccount the most running jobs of one account, exceeded by at most one batch, so that jobs waiting for slow
 *   receivers leave capacity for other accounts. `Fair` divides jobs and weight between the accounts by `FairShares`: an account
 *   without running jobs always finds a slot
 * @param reserved how many of `maxJobs` are left for jobs of accounts that have less than an equal part, and for jobs that
 *   `enter` from the reserve
 * @param maxWeight the total weight of running jobs above which no job is claimed
 * @param lease the duration to which leases are extended, milliseconds
 */
export const makeJobPool = Effect.fnUntraced(function* (options: {
  /** Returns accounts whose jobs are left for other processes. */
  readonly leftOut?: () => ReadonlyArray<string>
  readonly maxJobs: number
  readonly maxJobsPerAccount?: number | "Fair"
  readonly reserved?: number
  readonly maxWeight: number
  readonly lease: number
}) {
  const queue = yield* JobQueue
  const scope = yield* Effect.scope
  const entries = new Set<Entry>()
  const byId = new Map<string, Entry>()
  const claims = Semaphore.makeUnsafe(1)
  const available = Latch.makeUnsafe(true)
  const empty = Latch.makeUnsafe(true)
  const occupied = Latch.makeUnsafe(false)
  const finished = Latch.makeUnsafe(false)
  const { leftOut = () => [], maxJobsPerAccount = Infinity } = options
  /** The slots of jobs that are not parked. */
  const places = new FairShares(options.maxJobs)
  const weights = new FairShares(options.maxWeight)
  /** The slots of jobs that have entered. */
  const entered = new FairShares(options.maxJobs, options.reserved)
  let isShuttingDown = false

  const capacity = (): number => (isShuttingDown || weights.free < 0 ? 0 : Math.max(0, places.free))

  const claimRoom = (batch: number): ClaimRoom => {
    const free = Math.min(batch, capacity())
    if (free === 0) return { limit: 0, except: [] }
    if (maxJobsPerAccount !== "Fair")
      return {
        limit: free,
        except: [
          ...leftOut(),
          ...places.holders().filter((account) => places.heldBy(account) >= maxJobsPerAccount)
        ]
      }
    // All jobs of a claim may belong to one account, so the limit is what every claimable account may still take. An account that
    // has almost reached its share is excluded, because it would make the claim small for all others too.
    let limit = Math.max(1, Math.floor(Math.min(free, places.room(""))))
    const least = Math.max(1, limit >> 2)
    const except: Array<string> = [...leftOut()]
    for (const account of places.holders()) {
      const room = Math.floor(places.room(account))
      if (room < least || weights.room(account) <= 0) except.push(account)
      else limit = Math.min(limit, room)
    }
    return { limit, except }
  }

  const count = ({ job: { accountId }, weight }: Entry, sign: 1 | -1): void => {
    places.add(accountId, sign)
    weights.add(accountId, sign * weight)
    if (capacity() > 0) available.openUnsafe()
    else available.closeUnsafe()
  }

  const enter = (entry: Entry, fromReserve: boolean): boolean => {
    if (entry.entered) return true
    const { accountId } = entry.job
    if (!fromReserve && !entered.leavesReserve(accountId)) return false
    entry.entered = true
    entered.add(accountId, 1)
    return true
  }

  const leave = (entry: Entry): void => {
    count(entry, -1)
    if (entry.entered) entered.add(entry.job.accountId, -1)
  }

  const park = (entry: Entry): void => {
    if (entry.parked || !entries.has(entry)) return
    entry.parked = true
    leave(entry)
    finished.openUnsafe()
  }

  const remove = (entry: Entry): void => {
    entries.delete(entry)
    if (byId.get(entry.job.id) === entry) byId.delete(entry.job.id)
    if (!entry.parked) leave(entry)
    finished.openUnsafe()
    if (entries.size === 0) {
      empty.openUnsafe()
      occupied.closeUnsafe()
    }
  }

  const lose = (entry: Entry): void => {
    entry.lost = true
    entry.fiber?.interruptUnsafe()
  }

  const extend = Effect.gen(function* () {
    const held = [...entries].filter((entry) => !entry.lost)
    if (held.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const claimed = held.map((entry) => entry.job)
    const extended = yield* queue.extend(claimed, options.lease, now)
    const jobs = new Map(extended.map((job) => [job.id, job]))
    for (const entry of held) {
      const job = jobs.get(entry.job.id)
      if (job === undefined) lose(entry)
      else entry.job = job
    }
  }).pipe(claims.withPermit)

  // An unavailable database does not end the loop: the next extension that succeeds shows which claims were lost.
  const extending = yield* Effect.ignore(extend).pipe(
    Effect.delay(options.lease / extensionsPerLease),
    occupied.whenOpen,
    Effect.forever,
    Effect.forkIn(scope)
  )

  const nextFinished = Effect.suspend(() => {
    finished.closeUnsafe()
    return finished.await
  })

  const pool = {
    /** What may currently be claimed, for a batch of at most the given size; nothing after `shutdown`. */
    claimRoom,
    /** Waits until something may be claimed. */
    awaitCapacity: available.await,
    /** Waits until the next job finishes. */
    nextFinished,
    /** Waits until no job runs. */
    idle: empty.await,
    /** Whether the pool is running the job. */
    has: (job: Job) => byId.has(job.id),
    /** The number of running jobs. */
    size: () => entries.size,
    /**
     * Runs `work` for a job in a fiber of its own. The fiber is interrupted if the claim is lost, and by `shutdown`. `jobWeight`
     * counts towards `maxWeight`.
     */
    start: (job: Job, jobWeight: number, work: (running: RunningJob) => Effect.Effect<void>) =>
      Effect.suspend(() => {
        const before = byId.get(job.id)
        // This process claimed the job again, so its previous claim had expired.
        if (before !== undefined) lose(before)
        const entry: Entry = {
          job,
          lost: false,
          parked: false,
          entered: false,
          weight: jobWeight,
          fiber: null
        }
        entries.add(entry)
        byId.set(job.id, entry)
        count(entry, 1)
        empty.closeUnsafe()
        occupied.openUnsafe()
        const run = Effect.ensuring(
          inJobSpan(
            job,
            work({
              job: () => entry.job,
              isLost: () => entry.lost,
              park: () => park(entry),
              enter: (fromReserve) => enter(entry, fromReserve)
            })
          ),
          Effect.sync(() => remove(entry))
        )
        return Effect.map(Effect.forkIn(run, scope), (fiber) => {
          entry.fiber = fiber
        })
      }).pipe(Effect.uninterruptible),
    /**
     * Runs an effect that ends claims of running jobs. Leases are not extended meanwhile, because extending changes the claims.
     */
    endClaims: claims.withPermit,
    /**
     * Accepts no more jobs, waits up to `grace` milliseconds for the running ones, then interrupts them and waits for their end.
     * Must run before the scope closes.
     */
    shutdown: Effect.fnUntraced(function* (grace: number) {
      isShuttingDown = true
      available.closeUnsafe()
      if (grace > 0) yield* Effect.timeoutOption(empty.await, grace)
      // An extension that waits for an unresponsive database would hold the permit for ending claims.
      yield* Fiber.interrupt(extending)
      for (const entry of entries) entry.fiber?.interruptUnsafe()
      yield* empty.await
    })
  }
  return {
    ...pool,
    /**
     * The pool as jobs of one queue use it: they may take only a share of its slots, and of those that an account may have. Other
     * jobs, even of the same account, therefore always find a slot.
     */
    partOf: (name: Queue, share: number): typeof pool => {
      const most = Math.max(1, Math.floor(options.maxJobs * share))
      const own = () => [...entries].filter(({ job, parked }) => job.queue === name && !parked)
      const room = () => most - own().length
      const claimPart = (batch: number): ClaimRoom => {
        const { except, limit } = pool.claimRoom(Math.min(batch, Math.max(0, room())))
        if (maxJobsPerAccount !== "Fair") return { except, limit }
        const full: Array<string> = []
        let least = limit
        for (const [account, held] of Map.groupBy(own(), ({ job }) => job.accountId)) {
          const left = Math.floor(share * (places.heldBy(account) + places.room(account))) - held.length
          if (left < Math.max(1, limit >> 2)) full.push(account)
          else least = Math.min(least, left)
        }
        return { except: [...new Set([...except, ...full])], limit: least }
      }
      const awaitRoom: Effect.Effect<void> = Effect.suspend(() =>
        room() > 0 ? available.await : Effect.andThen(nextFinished, awaitRoom)
      )
      return {
        ...pool,
        claimRoom: claimPart,
        awaitCapacity: awaitRoom
      }
    }
  }
})
