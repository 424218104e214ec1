/**
 * The background jobs of conversions.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/**
 * Decides the conversions of contacts. It has no key, so that each transaction enqueues its own: a pending job may be claimed
 * before the writes of this transaction are visible.
 */
export const conversionJob = defineJob({
  queue: "conversions",
  key: () => null,
  payload: Schema.Struct({ contactIds: Schema.Array(Schema.String) })
})

/** Decides the conversions of all contacts with clicks, page by page; `after` is the last contact of the previous page. */
export const allConversionsJob = defineJob({
  queue: "conversions",
  key: () => null,
  payload: Schema.Struct({ after: Schema.NullOr(Schema.String) })
})
