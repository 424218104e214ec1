/**
 * The background job that counts segments for their trend.
 *
 * @module
 */
import { defineJob, NoPayload } from "../defineJob.ts"

/** Counts the segments of an account that have no size for the current day; at most one is pending. */
export const segmentSizesJob = defineJob({
  queue: "retention",
  key: () => "segment_sizes",
  payload: NoPayload
})
