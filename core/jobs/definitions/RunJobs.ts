/**
 * The background jobs of flow runs.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob, NoPayload } from "../defineJob.ts"

/** Advances a run; at most one is pending for each. */
export const advanceRunJob = defineJob({
  queue: "runs",
  key: ({ runId }: { readonly runId: string }) => runId,
  payload: Schema.Struct({ runId: Schema.String })
})

/** Starts runs for people who entered or left the segments of an account's flows; at most one is pending. */
export const segmentStartsJob = defineJob({ queue: "campaigns", key: () => "segments", payload: NoPayload })

const WebhookStepRequest = Schema.Struct({
  flowId: Schema.String,
  runId: Schema.String,
  stepId: Schema.String,
  url: Schema.String,
  /** Every attempt sends the same bytes. */
  body: Schema.String
})
/** The request of a Webhook step. */
export type WebhookStepRequest = typeof WebhookStepRequest.Type

/** Sends the request of a run's Webhook step. The queue keeps its original name, `calls`. */
export const webhookStepJob = defineJob({
  queue: "calls",
  key: ({ runId, stepId }: { readonly runId: string; readonly stepId: string }) => `${runId}/${stepId}`,
  payload: WebhookStepRequest
})
