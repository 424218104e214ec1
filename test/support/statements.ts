/**
 * Counts SQL statements by the spans of the SQL client.
 *
 * @module
 */
import { Effect, Tracer } from "effect"

/** Makes a tracer that counts statements. */
export const makeStatementCounter = () => {
  let count = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") count++
      return new Tracer.NativeSpan(options)
    }
  })
  return {
    tracer,
    /** The number of statements since the last call. */
    take: (): number => {
      const taken = count
      count = 0
      return taken
    }
  }
}

/** Runs an effect, and returns the number of statements that it sent. */
export const statementsOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const { take, tracer } = makeStatementCounter()
  yield* Effect.withTracer(effect, tracer)
  return take()
})
