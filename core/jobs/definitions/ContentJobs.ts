/**
 * The background jobs that delete stored content without a use.
 *
 * @module
 */
import { defineJob, NoPayload } from "../defineJob.ts"

/** Deletes an account's content whose last use has ended; at most one is pending. Enqueued by every operation that ends uses. */
export const contentRemovalJob = defineJob({
  queue: "retention",
  key: () => "contents",
  payload: NoPayload
})

/**
 * Deletes an account's objects outside the database that no record names; at most one is pending. Enqueued before objects are
 * stored, so that objects of a process that ends before it records them are deleted.
 */
export const objectSweepJob = defineJob({ queue: "retention", key: () => "objects", payload: NoPayload })
