/**
 * The background jobs of events.
 *
 * @module
 */
import type { NewJob } from "../../ports/JobQueue.ts"

/**
 * Processes what an account has in line. Without a key: a job that is pending may be claimed before the events of this
 * transaction can be seen, so each has one of its own.
 */
export const processingJob = (id: string, accountId: string, now: number): NewJob => ({
  id,
  accountId,
  queue: "events",
  key: null,
  runAt: now,
  payload: null
})
