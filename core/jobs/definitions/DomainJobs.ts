/**
 * The background jobs of sending domains, of held mail, and of the standing of accounts.
 *
 * @module
 */
import { Schema } from "effect"
import { defineJob } from "../defineJob.ts"

/** Checks the DNS records of a domain; at most one is pending for each. */
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

/** The emails to release: those of an account's sending domain that a lane holds. */
export interface LaneRelease {
  readonly lane: string
  readonly sender: string
  /**
   * Until when the job continues even if none are left, epoch milliseconds: processes may learn later that a suspension was
   * ended.
   */
  readonly until?: number
}

/**
 * Releases an account's held emails, a few at a time; at most one is pending for each lane and sending domain, plus one that an
 * operator started.
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

/** The emails to end: those of an account's sending domain that a lane has held since before a time, epoch milliseconds. */
export interface HeldEnd {
  readonly lane: string
  readonly sender: string
  readonly before: number
}

/** Ends an account's held emails, a few at a time; at most one is pending for each lane, sending domain and time. */
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
 * Judges an account's standing, soon after something was counted against it, or when a hold ends. At most one of each kind is
 * pending.
 */
export const judgeJob = defineJob({
  queue: "domains",
  key: ({ when }: { readonly when: "soon" | "end" }) => `judge:${when}`,
  payload: Schema.Struct({ kind: Schema.Literal("judge"), when: Schema.Literals(["soon", "end"]) })
})
