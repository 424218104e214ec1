/**
 * Does nothing, because memory has no partitions.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { Partitions } from "../../core/ports/Partitions.ts"

/** The port. */
export const layer = Layer.succeed(
  Partitions,
  Partitions.of({
    extend: () => Effect.succeed(0),
    drop: () => Effect.succeed(0),
    tables: Effect.succeed([])
  })
)
