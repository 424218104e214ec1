/**
 * Commits together what arrives together. While one batch of a lane is being written, the calls that arrive for
 * that lane wait and form the next batch; an idle lane starts at once, so a lone call never waits. Each caller gets
 * its own answer.
 *
 * @module
 */
import { Deferred, Effect, Exit, type Result, type Scope, Tracer } from "effect"

/** Adds a request to a lane and answers its own result. The work goes on when the caller is interrupted. */
export type Submit<Request, A, E, E2> = (lane: string, request: Request) => Effect.Effect<A, E | E2>

interface Waiting<Request, A, E> {
  readonly request: Request
  readonly answer: Deferred.Deferred<A, E>
  /** The caller's span; undefined when nothing is traced. */
  readonly span: Tracer.AnySpan | undefined
}

/** Runs a batch as a part of its first caller's trace: a lane outlives the caller that started it. */
const inSpanOf = <A, E>(span: Tracer.AnySpan | undefined, run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  span === undefined ? run : Effect.provideService(run, Tracer.ParentSpan, span)

/**
 * Makes a group commit.
 *
 * @param run writes a batch of a lane and answers, in order, each request's result. A failure of `run` itself is
 *   every caller's failure.
 * @param maxBatch the most requests of one batch.
 * @param maxWeight the most weight of one batch, as `weightOf` tells it; a request that is heavier goes alone.
 */
export const makeGroupCommit = <Request, A, E, E2>(options: {
  readonly maxBatch: number
  readonly maxWeight?: number
  readonly weightOf?: (request: Request) => number
  readonly run: (
    lane: string,
    requests: ReadonlyArray<Request>
  ) => Effect.Effect<ReadonlyArray<Result.Result<A, E>>, E2>
}): Effect.Effect<Submit<Request, A, E, E2>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const lanes = new Map<string, Array<Waiting<Request, A, E | E2>>>()

    /** How many of those that wait go together. */
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

    const work = (lane: string, queue: Array<Waiting<Request, A, E | E2>>): Effect.Effect<void> =>
      Effect.suspend(() => {
        const batch = queue.splice(0, sizeOf(queue))
        if (batch.length === 0) {
          lanes.delete(lane)
          return Effect.void
        }
        const run = Effect.suspend(() =>
          options.run(
            lane,
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
            for (let index = 0; index < batch.length; index++) {
              const answer = batch[index]!.answer
              Deferred.doneUnsafe(
                answer,
                Exit.isFailure(exit) ? Exit.failCause(exit.cause) : Effect.fromResult(exit.value[index]!)
              )
            }
            return work(lane, queue)
          })
        )
      })

    // An interruption between a lane's beginning and the fork of its work would leave the lane without anyone at work.
    return (lane, request) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.withFiber((fiber) => {
          const answer = Deferred.makeUnsafe<A, E | E2>()
          const queue = lanes.get(lane)
          const waiting = { request, answer, span: fiber.cache.span }
          if (queue !== undefined) {
            queue.push(waiting)
            return restore(Deferred.await(answer))
          }
          const started = [waiting]
          lanes.set(lane, started)
          return Effect.flatMap(Effect.forkIn(Effect.uninterruptible(work(lane, started)), scope), () =>
            restore(Deferred.await(answer))
          )
        })
      )
  })
