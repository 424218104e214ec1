/**
 * Declares the limits of memory.
 *
 * @module
 */
import { Layer } from "effect"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"

/** The maximum number of people in a campaign. Each takes some kilobytes of the process. */
export const maxAudience = 100_000

/** The port. */
export const layer = Layer.succeed(StorageLimits, StorageLimits.of({ maxAudience }))
