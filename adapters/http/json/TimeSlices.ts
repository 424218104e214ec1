/**
 * Divides work on large bodies into time slices. The event loop handles pending events between them.
 *
 * @module
 */
import { Effect } from "effect"

/** How many bytes are parsed and checked in one time slice. This takes a few milliseconds. */
export const bytesOfSlice = 256 * 1024

/** Lets the event loop handle pending events. */
export const yieldToOthers = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
