/**
 * Wakes workers when jobs were committed, and streams when their accounts have new entries.
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

/** The channel that the job queue's statements notify, with the name of the queue, and those of streams. */
export const channel = "svc_jobs"

/** What is notified when an account's streams have something to read: no queue has such a name. */
export const streamsOf = (accountId: string): string => `live:${accountId}`

/** What is notified when an account is streamed from now on. */
export const listenersName = "live"

/** What a process notifies itself of, to see that it arrives: no queue has such a name. */
const checkPrefix = "check:"

/** How long that may take. */
const arrivalTimeout = "10 seconds"

/** The first pause before listening again; it doubles up to the longest. */
const firstPause = 100
const longestPause = 5_000

/** Wake-ups of waiting workers. */
export class JobNotifier extends Context.Service<
  JobNotifier,
  {
    /** Reports that the last statement added jobs to those queues; wakes their workers once it is committed. */
    readonly added: (names: ReadonlyArray<string>) => Effect.Effect<void>
    /** Waits for a name, a queue's or one of streams, as the ports `JobQueue` and `LiveEntries` declare it. */
    readonly wakeups: (name: string) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/adapters/postgres/JobNotifier") {}

/** The waiting workers and streams of this process. */
class Waiting {
  readonly #mailboxes = new Map<string, Set<Mailbox.Queue<void>>>()

  /** Wakes those who wait for a name; a name of another version, or of another node's streams, wakes none. */
  wake(name: string): void {
    for (const mailbox of this.#mailboxes.get(name) ?? []) Mailbox.offerUnsafe(mailbox, undefined)
  }

  wakeAll(): void {
    for (const name of this.#mailboxes.keys()) this.wake(name)
  }

  wakeups(name: string): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const mailboxesByName = this.#mailboxes
    return Effect.gen(function* () {
      // Room for one: a wake-up that arrives while no worker waits is kept once.
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
 * A notifier between the processes on one server, by LISTEN and NOTIFY: one connection of each process listens. While
 * it is lost, wake-ups are missed, so all workers are woken once it is back. Building the layer does not wait for a
 * server.
 */
export const layerServer = Effect.gen(function* () {
  const client = yield* PgClient.PgClient
  const sql = yield* SqlClient
  const waiting = new Waiting()
  let pause = firstPause
  let checks = 0

  /** Warns where what is notified does not arrive, as behind a pooler that gives each transaction another session. */
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

/** A notifier within this process, the only one that uses the database. */
export const layerEmbedded = Layer.effect(
  JobNotifier,
  Effect.sync(() => {
    const waiting = new Waiting()
    // The same function each time, which a transaction runs once.
    const hooks = new Map(queues.map((queue) => [queue as string, () => waiting.wake(queue)]))
    const hookOf = (name: string) => hooks.get(name) ?? (() => waiting.wake(name))
    return JobNotifier.of({
      added: (names) => Effect.forEach(names, (name) => afterCommit(hookOf(name)), { discard: true }),
      wakeups: (name) => waiting.wakeups(name)
    })
  })
)
