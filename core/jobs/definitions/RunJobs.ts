/**
 * The background jobs of runs.
 *
 * @module
 */
import type { NewJob } from "../../ports/JobQueue.ts"

/** The job that gives a run its next turn; at most one is pending for each. */
export const advanceRunJob = (id: string, accountId: string, runId: string, runAt: number): NewJob => ({
  id,
  accountId,
  queue: "runs",
  key: runId,
  runAt,
  payload: { runId }
})

/** A request of a Webhook step. */
export interface Call {
  readonly flowId: string
  readonly runId: string
  readonly stepId: string
  readonly url: string
  /** The same bytes at every attempt. */
  readonly body: string
}

/** The key of the job that makes a step's request. */
export const callKey = (runId: string, stepId: string): string => `${runId}/${stepId}`

/** The job that makes a request. */
export const webhookStepJob = (id: string, accountId: string, call: Call, now: number): NewJob => ({
  id,
  accountId,
  queue: "calls",
  key: callKey(call.runId, call.stepId),
  runAt: now,
  payload: { ...call }
})
