/**
 * Does renders that may take long, and other work that must not hold a transaction open, before the transaction that needs
 * them: it is rolled back where it finds one that is not done, and repeated when it is.
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

  /** The result of an effect, always of the same types for a key; `meanwhile` until it is done. */
  of<A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> {
    const done = this.#done.get(key)
    if (done !== undefined) return Effect.fromResult(done as Result.Result<A, E>)
    this.#wanted.set(key, effect)
    return Effect.succeed(meanwhile)
  }

  /** Does what is wanted, until a time; returns whether all of it is done. */
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

/** Renders at once, or takes the result of a render that was done ahead. */
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

/** Whether a template parses, as `renderAhead`. */
export const checkAhead = (
  engine: TemplateEngine["Service"],
  template: string
): Effect.Effect<void, TemplateInvalid> =>
  Effect.suspend(() => {
    const check = engine.check(template)
    return engine.isFast(template, {}) ? check : inContextAhead(`check ${template}`, check, undefined)
  })

/** Compiles MJML, as `renderAhead`. */
export const compileAhead = (
  engine: TemplateEngine["Service"],
  mjml: string
): Effect.Effect<string, TemplateInvalid> => inContextAhead(`mjml ${mjml}`, engine.compileMjml(mjml), "")

/**
 * Runs an effect at once, or takes the result that it had before the transaction began; `meanwhile` where it is not done,
 * and then `awaitAhead` ends the transaction. It runs outside of the transaction, once for a key.
 */
export const runAhead = <A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> =>
  Effect.flatMap(Ahead, (ahead) => (ahead === null ? effect : ahead.of(key, effect, meanwhile)))

/** As `runAhead`, with the context of the caller. */
const inContextAhead = <A, E>(key: string, effect: Effect.Effect<A, E>, meanwhile: A): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.context(), (context) =>
    runAhead(key, Effect.provideContext(effect, context), meanwhile)
  )

/** Makes values that renders use so that a repeat of the transaction makes the same, such as links that expire. */
export const repeatably = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Ahead, (ahead) =>
    ahead === null ? effect : Effect.provideService(effect, Clock.Clock, ahead.clock)
  )

/** Ends a transaction that needs a result which is not there yet. */
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

/** As `withRendersAhead`, however long the renders take. */
export const withAllAhead = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.map(withRendersAhead(transaction, Infinity), (result) => result as A)
