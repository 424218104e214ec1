/**
 * A bound on how long an answer may take, whatever hangs: a store that is frozen gives no error.
 *
 * @module
 */
import { type Context, Effect } from "effect"
import { Unavailable } from "../../../core/shared/Problem.ts"

/**
 * Answers `Unavailable` when the effect has not ended after so many milliseconds of real time. It is not interrupted:
 * what it is about to commit is committed or not, as for a client that hung up.
 */
export const failAfter = <A, E, R>(
  millis: number,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E | Unavailable>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const timer = setTimeout(
        () => resume(Effect.fail(new Unavailable({ cause: new Error("no answer in time") }))),
        millis
      )
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
    })
  )
