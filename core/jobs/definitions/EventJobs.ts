/**
 * The background jobs of reported events.
 *
 * @module
 */
import { defineJob, NoPayload } from "../defineJob.ts"

/**
 * Processes an account's accepted events. It has no key, so that each transaction enqueues its own: a pending job may be claimed
 * before the events of this transaction are visible.
 */
export const eventJob = defineJob({ queue: "events", key: () => null, payload: NoPayload })
