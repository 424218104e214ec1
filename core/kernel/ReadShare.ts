/**
 * Limits how many expensive reads run at the same time, per account and in total, so that most database connections stay free
 * for everything else. Further reads wait in one queue per account; the queues are served round-robin. While many reads of one
 * account wait, its slot stays empty after each read for as long as the read took, so that they use at most half of the time.
 *
 * @module
 */
import { Clock, Context, Deferred, type Duration, Effect, Exit, Layer } from "effect"
import { Problem } from "../shared/Problem.ts"

/** How many reads run at the same time in a process, and how long a read waits. */
export interface ReadLimits {
  readonly total: number
  readonly perAccount: number
  readonly wait: Duration.Input
}

/** Three of the ten connections to a PostgreSQL server. */
export const readLimits: ReadLimits = { total: 3, perAccount: 1, wait: "10 seconds" }

type Waiting = Deferred.Deferred<void>

/** The number of waiting reads from which an account's slot pauses: a browser sends six calls at the same time. */
const crowd = 6
/** The shortest and the longest pause, milliseconds. */
const shortestRest = 10
const longestRest = 500
/** The difference between the two clocks that is tolerated, milliseconds. */
const tolerance = 5

/** Measures a duration in milliseconds; 0 if the clock stood still or was moved meanwhile. */
const stopwatch = (clock: Clock.Clock): (() => number) => {
  const nanos = clock.monotonicTimeNanosUnsafe()
  const millis = clock.currentTimeMillisUnsafe()
  return () => {
    const taken = clock.currentTimeMillisUnsafe() - millis
    const passed = Number(clock.monotonicTimeNanosUnsafe() - nanos) / 1e6
    return Math.abs(taken - passed) < tolerance ? Math.max(0, taken) : 0
  }
}

/** The slots of expensive reads. */
export class ReadShare extends Context.Service<
  ReadShare,
  {
    /** Runs a read of an account when a slot is free; common.too_many_reads if none is free within 10 seconds. */
    readonly run: <A, E, R>(
      accountId: string,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Problem, R>
  }
>()("svc/kernel/ReadShare") {
  static readonly layer = Layer.sync(ReadShare, () => makeReadShare(readLimits))
}

/** Makes the slots for given limits. */
export const makeReadShare = ({ perAccount, total, wait }: ReadLimits): ReadShare["Service"] => {
  const running = new Map<string, number>()
  /** The waiting reads by account; the account to be served next is first. */
  const queues = new Map<string, Set<Waiting>>()
  /** The accounts whose slot pauses. */
  const resting = new Set<string>()
  let busy = 0

  const ofAccount = (accountId: string): number => running.get(accountId) ?? 0
  const hasPlace = (accountId: string): boolean =>
    ofAccount(accountId) < perAccount && !resting.has(accountId)

  const begin = (accountId: string): void => {
    busy++
    running.set(accountId, ofAccount(accountId) + 1)
  }

  /** Starts the waiting reads for which a slot is free. */
  const grant = (): void => {
    for (const [accountId, queue] of queues) {
      if (busy >= total) return
      if (!hasPlace(accountId)) continue
      const [waiting] = queue
      queue.delete(waiting!)
      // Moved behind every other account.
      queues.delete(accountId)
      if (queue.size > 0) queues.set(accountId, queue)
      begin(accountId)
      Deferred.doneUnsafe(waiting!, Exit.void)
    }
  }

  const end = (accountId: string): void => {
    busy--
    const left = ofAccount(accountId) - 1
    if (left > 0) running.set(accountId, left)
    else running.delete(accountId)
    grant()
  }

  const leave = (accountId: string, waiting: Waiting): void => {
    const queue = queues.get(accountId)
    // The read was granted a slot meanwhile.
    if (queue?.delete(waiting) !== true) return end(accountId)
    if (queue.size === 0) queues.delete(accountId)
  }

  const enter = (accountId: string): Effect.Effect<void, Problem> =>
    Effect.suspend(() => {
      if (busy < total && hasPlace(accountId)) {
        begin(accountId)
        return Effect.void
      }
      const waiting = Deferred.makeUnsafe<void>()
      queues.set(accountId, (queues.get(accountId) ?? new Set()).add(waiting))
      return Deferred.await(waiting).pipe(
        Effect.timeoutOrElse({
          duration: wait,
          orElse: () => Effect.fail(Problem.of("common.too_many_reads"))
        }),
        Effect.interruptible,
        Effect.onExit((exit) =>
          Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => leave(accountId, waiting))
        )
      )
    })

  /** Ends a read that took `millis`. */
  const endAfter = (accountId: string, millis: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const rests = millis > 0 && !resting.has(accountId) && (queues.get(accountId)?.size ?? 0) >= crowd
      if (rests) resting.add(accountId)
      end(accountId)
      if (!rests) return Effect.void
      const rested = Effect.sync(() => {
        resting.delete(accountId)
        grant()
      })
      return Effect.asVoid(
        Effect.forkDetach(
          Effect.andThen(Effect.sleep(Math.min(Math.max(millis, shortestRest), longestRest)), rested)
        )
      )
    })

  return ReadShare.of({
    run: (accountId, read) =>
      Effect.acquireUseRelease(
        Effect.andThen(
          enter(accountId),
          Clock.clockWith((clock) => Effect.sync(() => stopwatch(clock)))
        ),
        () => read,
        (taken) => endAfter(accountId, taken())
      )
  })
}
