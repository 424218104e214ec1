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

/** Which of an account's emails are released: those of a sending domain that are held on a lane. */
export interface LaneRelease {
  readonly lane: string
  readonly sender: string
  /** How long it goes on though none are left, epoch milliseconds: an operator ended a suspension, which processes read later. */
  readonly until?: number
}

/**
 * Releases an account's emails that are held, some at a time; at most one of each lane and sending domain is pending, and one that
 * an operator began.
 */
export const laneReleaseJob = defineJob({
  queue: "domains",
  key: ({ lane, sender, until }: LaneRelease) =>
    `lane:${lane} ${sender}${until === undefined ? "" : " resumed"}`,
  payload: Schema.Struct({
    kind: Schema.Literal("lane"),
    lane: Schema.String,
    sender: Schema.String,
    until: Schema.optionalKey(Schema.Number)
  })
})

/** Which of an account's emails are ended: those of a sending domain that a lane holds since before a time, epoch milliseconds. */
export interface HeldEnd {
  readonly lane: string
  readonly sender: string
  readonly before: number
}

/** Ends an account's emails that are held, some at a time; at most one of each lane, sending domain and time is pending. */
export const heldEndJob = defineJob({
  queue: "domains",
  key: ({ before, lane, sender }: HeldEnd) => `end:${lane} ${sender} ${before}`,
  payload: Schema.Struct({
    kind: Schema.Literal("end"),
    lane: Schema.String,
    sender: Schema.String,
    before: Schema.Number
  })
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
