/**
 * Memory can always be reached.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { StoreHealth } from "../../core/ports/StoreHealth.ts"

/** The port. */
export const layer = Layer.succeed(StoreHealth, StoreHealth.of({ ping: Effect.void }))
