/**
 * The background jobs that process many items.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

const BulkPayload = Schema.Struct({ jobId: Schema.String, step: Schema.Literals(["Run", "Expire"]) })
/** The payload of a job. */
export type BulkPayload = typeof BulkPayload.Type

/** These jobs use the queue of imports, which processes its jobs one by one and in time slices. */
const define = (prefix: string) =>
  defineJob({
    queue: "imports",
    key: ({ jobId }: { readonly jobId: string }) => `${prefix}:${jobId}`,
    payload: BulkPayload
  })

/** Processes the next items of a bulk job; at most one is pending for each. */
export const bulkRunJob = define("bulk")
/** Deletes the report of a bulk job; at most one is pending for each. */
export const bulkExpiryJob = define("bulk-expire")
