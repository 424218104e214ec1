/**
 * Divides work on large bodies into time slices, between which the event loop handles what has arrived.
 *
 * @module
 */
import { Effect } from "effect"

/** How many bytes are parsed and checked in one time slice, which takes milliseconds. */
export const bytesOfSlice = 256 * 1024

/** Lets the event loop handle what has arrived. */
export const yieldToOthers = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
