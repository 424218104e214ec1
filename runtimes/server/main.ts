/**
 * What a server process does from start to exit, whatever the runtime.
 *
 * @module
 */
import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { type Configuration, configuration } from "../config/config.ts"
import { explain } from "./explain.ts"
import { whyTooOld } from "./requirements.ts"
import { runServer, type ServeHttp } from "./server.ts"
import { exporterLayer } from "../telemetry/exporter.ts"

/** The longest a stop may take. */
const stopMillis = 9_000

/**
 * Runs the server until SIGTERM or SIGINT: then it stops accepting, finishes what is in flight, and exits 0. A start
 * that fails prints one line and exits 1.
 */
export const runMain = <E>(serveHttp: ServeHttp<E>): void => {
  const refusal = whyTooOld(process.versions)
  if (refusal !== null) {
    console.error(refusal)
    process.exit(1)
  }
  const program = Effect.flatMap(configuration, (config) =>
    Effect.provide(
      runServer(config, serveHttp),
      exporterLayer(config.otlpUrl).pipe(Layer.provideMerge(logging(config)))
    )
  )
  const fiber = Effect.runFork(program)
  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) process.exit(0)
    console.error(explain(exit.cause))
    process.exit(1)
  })
  const stop = () => {
    // What could not finish by then is durable work, which the next start takes up.
    setTimeout(() => process.exit(0), stopMillis).unref()
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}

const logging = (config: Configuration) =>
  Layer.mergeAll(
    Logger.layer([Logger.consoleLogFmt]),
    Layer.succeed(References.MinimumLogLevel, config.logLevel)
  )
