/**
 * The background jobs that remove stored content that nothing uses.
 *
 * @module
 */
import { defineJob, NoPayload } from "../defineJob.ts"

/** Removes an account's content whose last use has ended; at most one is pending. Enqueued with what ends uses. */
export const contentRemovalJob = defineJob({
  queue: "retention",
  key: () => "contents",
  payload: NoPayload
})

/**
 * Removes an account's objects outside the database that nothing names; at most one is pending. Enqueued before objects are
 * stored, so that those of a process that ends before they are named are removed.
 */
export const objectSweepJob = defineJob({ queue: "retention", key: () => "objects", payload: NoPayload })
