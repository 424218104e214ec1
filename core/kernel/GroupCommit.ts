/**
 * Writes concurrent requests together. While a batch of a key is being written, further requests for that key wait and form
 * the next batch. If no batch is being written, a request starts one at once, so a single request never waits (with `rest`, it
 * may wait for the end of a rest). Each caller gets its own result, in the order of the batches.
 *
 * @module
 */
import { Deferred, Effect, Exit, Fiber, type Result, type Scope, Tracer } from "effect"

/**
 * Adds a request to the next batch of `key` and returns that request's result. The batch continues if the caller is
 * interrupted.
 */
export type Submit<Request, A, E, E2> = (key: string, request: Request) => Effect.Effect<A, E | E2>

interface Waiting<Request, A, E> {
  readonly request: Request
  readonly result: Deferred.Deferred<A, E>
  /** The caller's span; undefined if tracing is off. */
  readonly span: Tracer.AnySpan | undefined
}

/** Runs a batch as part of its first caller's trace. The batch may end after that caller. */
const inSpanOf = <A, E>(span: Tracer.AnySpan | undefined, run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  span === undefined ? run : Effect.provideService(run, Tracer.ParentSpan, span)

/**
 * Makes a group commit.
 *
 * @param run writes a batch of a key and returns the result of each request, in order. If `run` itself fails, every caller
 *   gets that failure.
 * @param maxBatch the most requests of a batch.
 * @param maxWeight the maximum weight of a batch, the sum of `weightOf`. A heavier request is written alone.
 * @param rest a short wait after each batch, in which requests can arrive for the next one. A request that arrives
 *   after it is written at once. Without `rest`, the next batch begins as soon as the previous one is written.
 */
export const makeGroupCommit = <Request, A, E, E2>(options: {
  readonly maxBatch: number
  readonly maxWeight?: number
  readonly weightOf?: (request: Request) => number
  readonly rest?: Effect.Effect<void>
  readonly run: (
    key: string,
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Result.Result<A, E>>, E2>
}): Effect.Effect<Submit<Request, A, E, E2>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { rest } = options
    const scope = yield* Effect.scope
    const queues = new Map<string, Array<Waiting<Request, A, E | E2>>>()

    /** The number of waiting requests that form the next batch. */
    const sizeOf = (queue: ReadonlyArray<Waiting<Request, A, E | E2>>): number => {
      const { maxBatch, maxWeight = Infinity, weightOf = () => 0 } = options
      let weight = 0
      let size = 0
      while (size < Math.min(queue.length, maxBatch)) {
        weight += weightOf(queue[size]!.request)
        if (weight > maxWeight && size > 0) break
        size++
      }
      return size
    }

    /** Gives the callers of a batch their results. */
    const answer = (
      batch: ReadonlyArray<Waiting<Request, A, E | E2>>,
      exit: Exit.Exit<ReadonlyArray<Result.Result<A, E>>, E2>
    ): void => {
      for (let index = 0; index < batch.length; index++) {
        Deferred.doneUnsafe(
          batch[index]!.result,
          Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Effect.fromResult(exit.value[index]!)
        )
      }
    }

    /**
     * Writes the next batch of a key, and then further ones until none waits.
     *
     * @param answered completes when the callers of the previous batch have their results. Later results wait for it
     */
    const work = (
      key: string,
      queue: Array<Waiting<Request, A, E | E2>>,
      answered: Effect.Effect<unknown> = Effect.void
    ): Effect.Effect<void> =>
      Effect.suspend(() => {
        const batch = queue.splice(0, sizeOf(queue))
        if (batch.length === 0) {
          queues.delete(key)
          return Effect.void
        }
        const run = Effect.suspend(() =>
          options.run(
            key,
            batch.map((waiting) => waiting.request)
          )
        )
        return inSpanOf(batch[0]?.span, run).pipe(
          Effect.tap((results) =>
            results.length === batch.length
              ? Effect.void
              : Effect.die(new Error(`${results.length} results for ${batch.length} requests`))
          ),
          Effect.exit,
          Effect.flatMap((exit) => {
            const answering = Effect.andThen(
              answered,
              Effect.sync(() => answer(batch, exit))
            )
            if (rest !== undefined) {
              return Effect.flatMap(Effect.andThen(answering, rest), () => work(key, queue))
            }
            return queue.length === 0
              ? Effect.flatMap(answering, () => work(key, queue))
              : // The database writes the next batch while the callers of this one go on.
                Effect.flatMap(Effect.forkChild(answering, { uninterruptible: true }), (fiber) =>
                  work(key, queue, Fiber.await(fiber))
                )
          })
        )
      })

    // Uninterruptible, so that every queue has a fiber that works on it.
    const submit: Submit<Request, A, E, E2> = (key, request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiber((fiber) => {
          const result = Deferred.makeUnsafe<A, E | E2>()
          const queue = queues.get(key)
          const waiting = { request, result, span: fiber.cache.span }
          if (queue !== undefined) {
            queue.push(waiting)
            return restore(Deferred.await(result))
          }
          const started = [waiting]
          queues.set(key, started)
          return Effect.flatMap(Effect.forkIn(Effect.uninterruptible(work(key, started)), scope), () =>
            restore(Deferred.await(result))
          )
        })
      )
    return submit
  })
