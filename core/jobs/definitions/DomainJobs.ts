/**
 * The background jobs of sending domains.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Checks a domain against the DNS; at most one is pending for each. */
export const checkJob = defineJob({
  queue: "domains",
  key: ({ domainId }: { readonly domainId: string }) => `check:${domainId}`,
  payload: Schema.Struct({ kind: Schema.Literal("check"), domainId: Schema.String })
})

/** Releases an account's waiting emails; at most one is pending. */
export const releaseJob = defineJob({
  queue: "domains",
  key: () => "release",
  payload: Schema.Struct({ kind: Schema.Literal("release") })
})
