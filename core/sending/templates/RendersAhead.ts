/**
 * Does renders that may take long before the transaction that needs them: it is rolled back where it finds one that is not
 * done, and repeated when it is.
 *
 * @module
 */
import { Cause, Clock, Context, Effect, Exit, type Result } from "effect"
import type {
  Escaping,
  RenderFailed,
  TemplateEngine,
  TemplateInvalid,
  TemplateValues
} from "../../ports/TemplateEngine.ts"

type Rendered = Result.Result<string, TemplateInvalid | RenderFailed>

/** The renders of one transaction. */
class RendersAhead {
  readonly #done = new Map<string, Rendered>()
  readonly #wanted = new Map<string, Effect.Effect<string, TemplateInvalid | RenderFailed>>()

  /** A clock that stands at the time at which the transaction was first begun. */
  readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    const millis = clock.currentTimeMillisUnsafe()
    const nanos = clock.currentTimeNanosUnsafe()
    this.clock = {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    }
  }

  get isComplete(): boolean {
    return this.#wanted.size === 0
  }

  /** The result of a render, or an empty string until it is done. */
  of(
    key: string,
    render: Effect.Effect<string, TemplateInvalid | RenderFailed>
  ): Effect.Effect<string, TemplateInvalid | RenderFailed> {
    const done = this.#done.get(key)
    if (done !== undefined) return Effect.fromResult(done)
    this.#wanted.set(key, render)
    return Effect.succeed("")
  }

  /** Does what is wanted, until a time; returns whether all of it is done. */
  run(until: number): Effect.Effect<boolean> {
    const [next] = this.#wanted
    if (next === undefined) return Effect.succeed(true)
    const [key, render] = next
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now > until) return Effect.succeed(false)
      return Effect.flatMap(Effect.result(render), (result) => {
        this.#done.set(key, result)
        this.#wanted.delete(key)
        return this.run(until)
      })
    })
  }
}

const Ahead = Context.Reference<RendersAhead | null>("svc/sending/RendersAhead", {
  defaultValue: () => null
})

/** Renders at once, or takes the result of a render that was done ahead. */
export const renderAhead = (
  engine: TemplateEngine["Service"],
  template: string,
  values: TemplateValues,
  escaping: Escaping
): Effect.Effect<string, TemplateInvalid | RenderFailed> =>
  Effect.flatMap(Ahead, (ahead) => {
    const render = engine.render(template, values, escaping)
    if (ahead === null || engine.isFast(template, values)) return render
    return Effect.flatMap(Effect.context(), (context) =>
      ahead.of(JSON.stringify([escaping, template, values]), Effect.provideContext(render, context))
    )
  })

/** Makes values that renders use so that a repeat of the transaction makes the same, such as links that expire. */
export const repeatably = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Ahead, (ahead) =>
    ahead === null ? effect : Effect.provideService(effect, Clock.Clock, ahead.clock)
  )

/** Ends a transaction that needs a render which is not done yet. */
export const awaitAhead: Effect.Effect<void> = Effect.flatMap(Ahead, (ahead) =>
  ahead === null || ahead.isComplete ? Effect.void : Effect.die(ahead)
)

/** How often a transaction is repeated at most: then it renders by itself. */
const maxRepeats = 10

/**
 * Runs a transaction with its long renders done ahead; null, with nothing written, where these take longer than
 * `maxMillis`.
 */
export const withRendersAhead = Effect.fnUntraced(function* <A, E, R>(
  transaction: Effect.Effect<A, E, R>,
  maxMillis: number
) {
  const until = (yield* Clock.currentTimeMillis) + maxMillis
  const ahead = new RendersAhead(yield* Clock.Clock)
  for (let repeats = 0; repeats < maxRepeats; repeats++) {
    const exit = yield* Effect.exit(Effect.provideService(transaction, Ahead, ahead))
    const isWanting = Exit.isFailure(exit) && Cause.squash(exit.cause) === ahead
    if (!isWanting) return yield* exit
    if (!(yield* ahead.run(until))) return null
  }
  return yield* transaction
})
