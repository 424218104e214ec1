/**
 * Wakes workers when jobs were committed.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Queue as Mailbox, type Scope } from "effect"
import { type Queue, queues } from "../../../core/ports/JobQueue.ts"
import { describeDefect } from "../../../core/shared/Defect.ts"
import { withReplyTimeout } from "./ReplyTimeout.ts"
import { afterCommit } from "../Transaction.ts"

/** The channel that the job queue's statements notify, with the name of the queue. */
export const channel = "svc_jobs"

/** The first pause before listening again; it doubles up to the longest. */
const firstPause = 100
const longestPause = 5_000

/** Wake-ups of waiting workers. */
export class JobNotifier extends Context.Service<
  JobNotifier,
  {
    /** Reports that the last statement added jobs to those queues; wakes their workers once it is committed. */
    readonly added: (names: ReadonlyArray<Queue>) => Effect.Effect<void>
    /** As the port `JobQueue` declares it. */
    readonly wakeups: (queue: Queue) => Effect.Effect<Effect.Effect<void>, never, Scope.Scope>
  }
>()("svc/adapters/postgres/JobNotifier") {}

/** The waiting workers of this process. */
class Waiting {
  readonly #mailboxes = new Map<string, Set<Mailbox.Queue<void>>>(queues.map((queue) => [queue, new Set()]))

  /** Wakes the workers of a queue; the name of a queue of another version wakes none. */
  wake(queue: string): void {
    for (const mailbox of this.#mailboxes.get(queue) ?? []) Mailbox.offerUnsafe(mailbox, undefined)
  }

  wakeAll(): void {
    for (const queue of queues) this.wake(queue)
  }

  wakeups(queue: Queue): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> {
    const mailboxes = this.#mailboxes.get(queue)!
    return Effect.gen(function* () {
      // Room for one: a wake-up that arrives while no worker waits is kept once.
      const mailbox = yield* Mailbox.dropping<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => mailboxes.add(mailbox)),
        () => Effect.sync(() => mailboxes.delete(mailbox))
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
  const waiting = new Waiting()
  let pause = firstPause

  const listen = Effect.scoped(
    Effect.gen(function* () {
      const notifications = yield* withReplyTimeout(client.listen(channel))
      pause = firstPause
      waiting.wakeAll()
      while (true) waiting.wake((yield* Mailbox.take(notifications)).payload)
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

  return JobNotifier.of({ added: () => Effect.void, wakeups: (queue) => waiting.wakeups(queue) })
}).pipe(Layer.effect(JobNotifier))

/** A notifier within this process, the only one that uses the database. */
export const layerEmbedded = Layer.effect(
  JobNotifier,
  Effect.sync(() => {
    const waiting = new Waiting()
    const hooks = new Map(queues.map((queue) => [queue, () => waiting.wake(queue)]))
    return JobNotifier.of({
      added: (names) => Effect.forEach(names, (queue) => afterCommit(hooks.get(queue)!), { discard: true }),
      wakeups: (queue) => waiting.wakeups(queue)
    })
  })
)
