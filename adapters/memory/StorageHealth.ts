/**
 * Reports memory as always available.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { StorageHealth } from "../../core/ports/StorageHealth.ts"

/** The port. */
export const layer = Layer.succeed(
  StorageHealth,
  StorageHealth.of({
    ping: Effect.void,
    size: Effect.succeed(null),
    report: Effect.succeed({
      engine: "Memory",
      version: null,
      tables: [],
      partitions: [],
      slowStatements: null,
      migrations: null
    })
  })
)
