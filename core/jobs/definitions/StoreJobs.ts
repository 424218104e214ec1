/**
 * The background jobs of connected stores.
 *
 * @module
 */
import { defineKeyedJob } from "../defineJob.ts"

/** Checks whether a cart, given by its id, was abandoned; at most one is pending for each. */
export const cartJob = defineKeyedJob({ queue: "carts", prefix: "", stored: null })

/** Erases the data of a store, given by its id; at most one is pending for each. */
export const storeErasureJob = defineKeyedJob({ queue: "retention", prefix: "store ", stored: {} })
