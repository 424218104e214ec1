/**
 * Limits how many expensive reads run at the same time, of each account and together, so that most connections to the
 * database are left for everything else. Reads that find no place wait, one queue for each account; the queues take turns.
 *
 * @module
 */
import { Context, Deferred, type Duration, Effect, Exit, Layer } from "effect"
import { Problem } from "../shared/Problem.ts"

/** How many reads run at the same time in a process, and how long one waits. */
export interface ReadLimits {
  readonly total: number
  readonly perAccount: number
  readonly wait: Duration.Input
}

/** Three of the ten connections to a PostgreSQL server. */
export const readLimits: ReadLimits = { total: 3, perAccount: 1, wait: "10 seconds" }

type Waiting = Deferred.Deferred<void>

/** The places of expensive reads. */
export class ReadShare extends Context.Service<
  ReadShare,
  {
    /** Runs a read of an account when there is a place for it; common.too_many_reads when there is none within 10 seconds. */
    readonly run: <A, E, R>(
      accountId: string,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Problem, R>
  }
>()("svc/kernel/ReadShare") {
  static readonly layer = Layer.sync(ReadShare, () => makeReadShare(readLimits))
}

/** The places of those limits. */
export const makeReadShare = ({ perAccount, total, wait }: ReadLimits): ReadShare["Service"] => {
  const running = new Map<string, number>()
  /** The waiting reads by account, the account that is served next first. */
  const queues = new Map<string, Set<Waiting>>()
  let busy = 0

  const ofAccount = (accountId: string): number => running.get(accountId) ?? 0

  const begin = (accountId: string): void => {
    busy++
    running.set(accountId, ofAccount(accountId) + 1)
  }

  /** Begins the waiting reads that there are places for. */
  const grant = (): void => {
    for (const [accountId, queue] of queues) {
      if (busy >= total) return
      if (ofAccount(accountId) >= perAccount) continue
      const [waiting] = queue
      queue.delete(waiting!)
      // Its next read comes after one of every other account.
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
    // It was granted meanwhile.
    if (queue?.delete(waiting) !== true) return end(accountId)
    if (queue.size === 0) queues.delete(accountId)
  }

  const enter = (accountId: string): Effect.Effect<void, Problem> =>
    Effect.suspend(() => {
      if (busy < total && ofAccount(accountId) < perAccount) {
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

  return ReadShare.of({
    run: (accountId, read) =>
      Effect.acquireUseRelease(
        enter(accountId),
        () => read,
        () => Effect.sync(() => end(accountId))
      )
  })
}
