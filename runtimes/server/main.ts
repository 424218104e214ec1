/**
 * Runs a server process from start to exit, on any runtime.
 *
 * @module
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Clock, Effect, Exit, Layer, Logger, References, type Runtime } from "effect"
import { type Configuration, configuration } from "../config/config.ts"
import { unknownVariables } from "../config/variables.ts"
import { explain } from "./explain.ts"
import { whyTooOld } from "./requirements.ts"
import { runServer, type ServeHttp } from "./server.ts"
import { isFirst } from "../supervisor/process.ts"
import { isSingle } from "../supervisor/ProcessPlan.ts"
import { supervise } from "../supervisor/Supervisor.ts"
import { makeVirtualClock } from "../embedded/VirtualClock.ts"
import { logRing } from "../telemetry/logRing.ts"
import { exporterLayer } from "../telemetry/exporter.ts"

/** The time limit of a stop, in milliseconds. */
const stopMillis = 9_000

/**
 * Runs the server until SIGTERM or SIGINT. It then stops accepting calls, finishes those in progress, and exits with 0. A start
 * that fails prints one line and exits with 1.
 */
export const runMain = <E>(serveHttp: ServeHttp<E>): void => {
  const unsupported = whyTooOld(process.versions)
  if (unsupported !== null) {
    console.error(unsupported)
    process.exit(1)
  }
  const program = Effect.flatMap(configuration, (config) =>
    Effect.onInterrupt(Effect.scoped(Effect.onInterrupt(run(config, serveHttp), () => beginStop)), () =>
      Effect.logInfo("stopped")
    ).pipe(Effect.provide(exporterLayer(config.otlpUrl).pipe(Layer.provideMerge(logging(config)))))
  ).pipe(Effect.provide([NodeFileSystem.layer, NodePath.layer]))
  NodeRuntime.runMain(program, { disableErrorReporting: true, teardown })
}

/** Warns about misspelt variables, and then serves, or supervises the processes that do. */
const run = Effect.fnUntraced(function* <E>(config: Configuration, serveHttp: ServeHttp<E>) {
  if (isFirst) {
    for (const warning of unknownVariables(Object.keys(process.env))) yield* Effect.logWarning(warning)
  }
  if (!isSingle(config.processes)) return yield* supervise(config)
  if (config.store._tag !== "Memory") return yield* runServer(config, serveHttp, null)
  // The clock can be moved if all data is in memory.
  const clock = makeVirtualClock(Date.now())
  return yield* Effect.provideService(runServer(config, serveHttp, clock), Clock.Clock, clock)
})

/**
 * Logs that a stop begins, and ends the process if it takes too long. Work that is unfinished then is durable, and the next start
 * continues it.
 */
const beginStop = Effect.andThen(
  Effect.logInfo("stopping"),
  Effect.sync(() => {
    setTimeout(() => process.exit(0), stopMillis).unref()
  })
)

const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return onExit(0)
  console.error(explain(exit.cause))
  onExit(1)
}

const logging = (config: Configuration) =>
  Layer.mergeAll(
    Logger.layer([Logger.consoleLogFmt, logRing.logger]),
    Layer.succeed(References.MinimumLogLevel, config.logLevel)
  )
