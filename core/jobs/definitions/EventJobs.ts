/**
 * The background jobs of reported events.
 *
 * @module
 */
import { defineJob, NoPayload } from "../defineJob.ts"

/**
 * Processes an account's accepted events. It has no key: a pending job may be claimed before the events of this
 * transaction are visible, so each transaction enqueues its own.
 */
export const eventJob = defineJob({ queue: "events", key: () => null, payload: NoPayload })
