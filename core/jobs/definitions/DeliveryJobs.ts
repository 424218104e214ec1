/**
 * The background jobs of deliveries.
 *
 * @module
 */
import type { NewJob } from "../../ports/JobQueue.ts"

/** The job that releases an account's waiting emails; at most one is pending. */
export const releaseJob = (id: string, accountId: string, now: number): NewJob => ({
  id,
  accountId,
  queue: "domains",
  key: "release",
  runAt: now,
  payload: { kind: "release" }
})

/** The job that takes one delivery to its transport; at most one is pending for each. */
export const deliveryJob = (id: string, accountId: string, deliveryId: string, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "deliveries",
  key: deliveryId,
  runAt,
  payload: { deliveryId }
})
