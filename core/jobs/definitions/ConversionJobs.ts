/**
 * The background jobs of conversions.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/**
 * Decides the conversions of contacts. It has no key: a pending job may be claimed before what this transaction writes is
 * visible, so each transaction enqueues its own.
 */
export const conversionJob = defineJob({
  queue: "conversions",
  key: () => null,
  payload: Schema.Struct({ contactIds: Schema.Array(Schema.String) })
})

/** Decides the conversions of all contacts with clicks, page by page; `after` is the last contact of the page before. */
export const allConversionsJob = defineJob({
  queue: "conversions",
  key: () => null,
  payload: Schema.Struct({ after: Schema.NullOr(Schema.String) })
})
