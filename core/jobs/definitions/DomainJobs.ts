/**
 * The background jobs of sending domains, and of the standing of accounts.
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

/** Releases an account's emails that are held on a lane, some at a time; at most one of each lane is pending. */
export const laneReleaseJob = defineJob({
  queue: "domains",
  key: ({ lane }: { readonly lane: string }) => `lane:${lane}`,
  payload: Schema.Struct({ kind: Schema.Literal("lane"), lane: Schema.String })
})

/**
 * Judges an account's standing: soon after something was counted against it, or when a hold ends. At most one of each is
 * pending.
 */
export const judgeJob = defineJob({
  queue: "domains",
  key: ({ when }: { readonly when: "soon" | "end" }) => `judge:${when}`,
  payload: Schema.Struct({ kind: Schema.Literal("judge"), when: Schema.Literals(["soon", "end"]) })
})
