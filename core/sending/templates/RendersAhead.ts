/**
 * Runs renders that may take long, and other work that must not hold a transaction open, before the transaction that needs
 * them. If the transaction needs a result that is not available yet, it is rolled back, the work is done, and the transaction
 * is repeated.
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

type Done = Result.Result<unknown, unknown>

/** The renders of one transaction. */
class RendersAhead {
  readonly #done = new Map<string, Done>()
  readonly #wanted = new Map<string, Effect.Effect<unknown, unknown>>()

  /** A clock that stays at the time at which the transaction was first started. */
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

  /**
   * Returns the result of an effect, or `meanwhile` until the effect has run. For a key, the types must always be the same.
   */
  of<A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> {
    const done = this.#done.get(key)
    if (done !== undefined) return Effect.fromResult(done as Result.Result<A, E>)
    this.#wanted.set(key, effect)
    return Effect.succeed(meanwhile)
  }

  /** Runs the requested effects, until a time. Returns whether all have run. */
  run(until: number): Effect.Effect<boolean> {
    const [next] = this.#wanted
    if (next === undefined) return Effect.succeed(true)
    const [key, effect] = next
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now > until) return Effect.succeed(false)
      return Effect.flatMap(Effect.result(effect), (result) => {
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

/** Renders at once, or returns the result of a render that ran ahead. */
export const renderAhead = (
  engine: TemplateEngine["Service"],
  template: string,
  values: TemplateValues,
  escaping: Escaping
): Effect.Effect<string, TemplateInvalid | RenderFailed> =>
  Effect.suspend(() => {
    const render = engine.render(template, values, escaping)
    return engine.isFast(template, values)
      ? render
      : inContextAhead(JSON.stringify([escaping, template, values]), render, "")
  })

/** Checks whether a template parses, in the manner of `renderAhead`. */
export const checkAhead = (
  engine: TemplateEngine["Service"],
  template: string
): Effect.Effect<void, TemplateInvalid> =>
  Effect.suspend(() => {
    const check = engine.check(template)
    return engine.isFast(template, {}) ? check : inContextAhead(`check ${template}`, check, undefined)
  })

/** Compiles MJML, in the manner of `renderAhead`. */
export const compileAhead = (
  engine: TemplateEngine["Service"],
  mjml: string
): Effect.Effect<string, TemplateInvalid> => inContextAhead(`mjml ${mjml}`, engine.compileMjml(mjml), "")

/**
 * Runs an effect at once, or returns the result that it had before the transaction. If it has not run, returns `meanwhile`,
 * and `awaitAhead` then ends the transaction. The effect runs outside the transaction, once for each key.
 */
export const runAhead = <A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> =>
  Effect.flatMap(Ahead, (ahead) => (ahead === null ? effect : ahead.of(key, effect, meanwhile)))

/** As `runAhead`, with the context of the caller. */
const inContextAhead = <A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.context(), (context) =>
    runAhead(key, Effect.provideContext(effect, context), meanwhile)
  )

/** Creates values that renders use, such as links that expire, so that a repeated transaction creates the same values. */
export const repeatably = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Ahead, (ahead) =>
    ahead === null ? effect : Effect.provideService(effect, Clock.Clock, ahead.clock)
  )

/** Ends a transaction that needs a result which is not available yet. */
export const awaitAhead: Effect.Effect<void> = Effect.flatMap(Ahead, (ahead) =>
  ahead === null || ahead.isComplete ? Effect.void : Effect.die(ahead)
)

/** The maximum number of repetitions of a transaction. After that, it renders by itself. */
const maxRepeats = 10

/**
 * Runs a transaction whose long renders run ahead. Returns null, with nothing written, if these take longer than `maxMillis`.
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

/** As `withRendersAhead`, however long the renders take. */
export const withAllAhead = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(withRendersAhead(transaction, Infinity), (result) => result as A)
