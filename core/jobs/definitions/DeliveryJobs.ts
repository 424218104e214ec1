/**
 * The background jobs of deliveries.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Dispatches one delivery; at most one is pending for each. */
export const deliveryJob = defineJob({
  queue: "deliveries",
  key: ({ deliveryId }: { readonly deliveryId: string }) => deliveryId,
  payload: Schema.Struct({ deliveryId: Schema.String })
})
