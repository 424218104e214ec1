/**
 * What memory takes.
 *
 * @module
 */
import { Layer } from "effect"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"

/** The most people of a campaign: each takes some kilobytes of the process. */
export const maxAudience = 100_000

/** The port. */
export const layer = Layer.succeed(StorageLimits, StorageLimits.of({ maxAudience }))
