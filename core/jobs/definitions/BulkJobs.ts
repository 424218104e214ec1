/**
 * The background jobs that work on many contacts.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

const BulkPayload = Schema.Struct({ jobId: Schema.String, step: Schema.Literals(["Run", "Expire"]) })
/** What a job of the queue is for. */
export type BulkPayload = typeof BulkPayload.Type

/** They share the queue of imports, which takes its jobs one by one and by time slices. */
const define = (prefix: string) =>
  defineJob({
    queue: "imports",
    key: ({ jobId }: { readonly jobId: string }) => `${prefix}:${jobId}`,
    payload: BulkPayload
  })

/** Works on the next contacts; at most one is pending for each job. */
export const bulkRunJob = define("bulk")
/** Removes the report of a job; at most one is pending for each. */
export const bulkExpiryJob = define("bulk-expire")
