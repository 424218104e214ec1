/**
 * What a server process does from start to exit, whatever the runtime.
 *
 * @module
 */
import { Cause, Effect, Exit, Fiber, Layer, Logger, References } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { SecretKeyFileInvalid } from "../adapters/crypto/SecretKey.ts"
import { DataDirectoryInUse } from "../adapters/postgres/DirectoryLock.ts"
import { DatabaseTooNew } from "../adapters/postgres/Migrations.ts"
import { SecretKeyDiffers } from "../core/accounts/SecretCheck.ts"
import { describeDefect } from "../core/shared/Defect.ts"
import { CertificateInvalid } from "./certificates.ts"
import { type Configuration, configuration, ConfigurationInvalid } from "./config.ts"
import { runServer, type ServeHttp } from "./server.ts"

/** The longest a stop may take. */
const stopMillis = 9_000

/**
 * Runs the server until SIGTERM or SIGINT: then it stops accepting, finishes what is in flight, and exits 0. A start
 * that fails prints one line and exits 1.
 */
export const runMain = <E>(serveHttp: ServeHttp<E>): void => {
  const program = Effect.flatMap(configuration, (config) =>
    Effect.provide(runServer(config, serveHttp), logging(config))
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

const listenFailures: ReadonlyArray<unknown> = ["ListenFailed", "RelayPortTaken", "ReportPortTaken"]

/** One line on why the start failed. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (error instanceof ConfigurationInvalid || error instanceof CertificateInvalid) return error.message
  if (error instanceof DataDirectoryInUse || error instanceof DatabaseTooNew) return error.message
  if (isSqlError(error)) return `Cannot use the database: ${error.message}`
  if (error instanceof SecretKeyDiffers || error instanceof SecretKeyFileInvalid) return error.message
  if (error instanceof Error && "_tag" in error && listenFailures.includes(error._tag)) {
    return `Cannot listen: ${error.cause instanceof Error ? error.cause.message : "unknown reason"}`
  }
  return `The start failed: ${JSON.stringify(describeDefect(cause))}`
}
