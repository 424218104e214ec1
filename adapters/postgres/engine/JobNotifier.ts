/**
 * Wakes workers when jobs are committed, and streams when their accounts have new entries.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer, Queue as Mailbox, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { queues } from "../../../core/ports/JobQueue.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { withReplyTimeout } from "./ReplyTimeout.ts"
import { afterCommit } from "../Transaction.ts"

/** The LISTEN channel. Payloads are the names of queues with new jobs, and the names used for streams. */
export const channel = "svc_jobs"

/** The name that is notified when an account's streams have something to read. No queue has such a name. */
export const streamsOf = (accountId: string): string => `live:${accountId}`

/** The name that is notified when an account starts being streamed. */
export const listenersName = "live"

/** A process notifies itself with this prefix to check that notifications arrive. No queue has such a name. */
const checkPrefix = "check:"

/** How long such a notification may take to arrive. */
const arrivalTimeout = "10 seconds"

/** The first pause before listening again. Pauses double up to the longest. */
const firstPause = 100
const longestPause = 5_000

/** Wakes waiting workers and streams. */
export class JobNotifier extends Context.Service<
  JobNotifier,
  {
    /** Reports that the last statement added jobs to these queues. Wakes their workers once it is committed. */
    readonly added: (names: ReadonlyArray<string>) => Effect.Effect<void>
    /** Waits for a name, that of a queue or of streams, as the ports `JobQueue` and `LiveEntries` declare. */
    readonly wakeups: (name: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/adapters/postgres/JobNotifier") {}

/** The waiting workers and streams of this process. */
class Waiting {
  readonly #mailboxes = new Map<string, Set<Mailbox.Queue<void>>>()

  /** Wakes those who wait for a name. Names of another version, or of another node's streams, have no effect. */
  wake(name: string): void {
    for (const mailbox of this.#mailboxes.get(name) ?? []) Mailbox.offerUnsafe(mailbox, undefined)
  }

  wakeAll(): void {
    for (const name of this.#mailboxes.keys()) this.wake(name)
  }

  wakeups(name: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const mailboxesByName = this.#mailboxes
    return Effect.gen(function* () {
      // Capacity for one: if no worker waits when a wake-up arrives, it is kept, but only once.
      const mailbox = yield* Mailbox.dropping<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => mailboxesByName.set(name, (mailboxesByName.get(name) ?? new Set()).add(mailbox))),
        () =>
          Effect.sync(() => {
            const mailboxes = mailboxesByName.get(name)
            mailboxes?.delete(mailbox)
            if (mailboxes?.size === 0) mailboxesByName.delete(name)
          })
      )
      return Mailbox.take(mailbox)
    })
  }
}

/**
 * Notifies between the processes on one server, with LISTEN and NOTIFY. One connection of each process listens. While it is
 * lost, notifications are missed, so all workers are woken once it is restored. Building the layer does not wait for a
 * server.
 */
export const layerServer = Effect.gen(function* () {
  const client = yield* PgClient.PgClient
  const sql = yield* SqlClient
  const waiting = new Waiting()
  let pause = firstPause
  let checks = 0

  /** Warns if notifications do not arrive, as behind a pooler that gives each transaction another session. */
  const checkArrival = Effect.fnUntraced(function* (name: string, arrived: Latch.Latch) {
    yield* sql`select pg_notify(${channel}, ${name})`
    yield* arrived.await.pipe(
      Effect.timeoutOrElse({
        duration: arrivalTimeout,
        orElse: () =>
          Effect.logWarning(
            "no wake-ups arrive, so work waits for up to seconds: lead SVC_STORE_DIRECT to PostgreSQL itself"
          )
      })
    )
  })

  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* withReplyTimeout(client.listen(channel))
      pause = firstPause
      waiting.wakeAll()
      const name = `${checkPrefix}${process.pid}:${++checks}`
      const arrived = yield* Latch.make(false)
      yield* Effect.forkScoped(Effect.ignore(checkArrival(name, arrived)))
      while (true) {
        const { payload } = yield* Mailbox.take(notifications)
        if (payload === name) arrived.openUnsafe()
        else waiting.wake(payload)
      }
    })
  )
  const listenAgain = Effect.suspend(() => {
    const millis = pause
    pause = Math.min(longestPause, pause * 2)
    return Effect.sleep(millis)
  })
  const listenUntilLost = Effect.catchCause(listen, (cause) =>
    Effect.annotateLogs(Effect.logWarning("no wake-ups from other nodes for now"), describeDefect(cause))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(listenUntilLost, listenAgain)))

  return JobNotifier.of({ added: () => Effect.void, wakeups: (name) => waiting.wakeups(name) })
}).pipe(Layer.effect(JobNotifier))

/** Notifies within this process, the only one that uses the database. */
export const layerEmbedded = Layer.effect(
  JobNotifier,
  Effect.sync(() => {
    const waiting = new Waiting()
    // The same function each time, because a transaction runs each function once.
    const hooks = new Map(queues.map((queue) => [queue as string, () => waiting.wake(queue)]))
    const hookOf = (name: string) => hooks.get(name) ?? (() => waiting.wake(name))
    return JobNotifier.of({
      added: (names) => Effect.forEach(names, (name) => afterCommit(hookOf(name)), { discard: true }),
      wakeups: (name) => waiting.wakeups(name)
    })
  })
)
