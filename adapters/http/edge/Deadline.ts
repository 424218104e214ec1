/**
 * Limits the duration of an effect. A frozen database returns no error, so without a limit the request would wait indefinitely.
 *
 * @module
 */
import { type Context, Effect } from "effect"
import { Unavailable } from "../../../core/shared/Problem.ts"

/**
 * Fails with `Unavailable` if the effect does not finish within `millis` of real time. The effect is not interrupted, so a
 * commit in progress completes, as it does when a client disconnects.
 */
export const failAfter = <A, E, R>(
  millis: number,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Unavailable, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E | Unavailable>((resume) => {
      const fiber = Effect.runForkWith(context)(effect)
      const timer = setTimeout(
        () => resume(Effect.fail(new Unavailable({ cause: new Error("no result in time") }))),
        millis
      )
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        resume(exit)
      })
    })
  )
