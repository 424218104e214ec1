/**
 * The background job that writes an email to a user.
 *
 * @module
 */
import { Schema } from "effect"
import { pauseReasons } from "../../model/Campaign.ts"
import { campaignNews, noticeActions, type UserMailing } from "../../model/UserMail.ts"
import { defineJob } from "../defineJob.ts"

/**
 * Writes an email to a user and creates its link, so that the job contains no link. A change of standing, and a request for
 * approval, are split into a job for each of their users. For invitations, at most one job is pending for each user, because a
 * later link replaces the earlier one. It belongs to no account.
 */
export const userMailJob = defineJob({
  queue: "mail",
  key: (mail: UserMailing) => (mail.kind === "Invitation" ? `${mail.kind}:${mail.userId}` : null),
  payload: Schema.Union([
    Schema.Struct({
      kind: Schema.Literal("Invitation"),
      userId: Schema.String,
      companyId: Schema.NullOr(Schema.String)
    }),
    Schema.Struct({ kind: Schema.Literal("Reset"), email: Schema.String }),
    Schema.Struct({
      kind: Schema.Literal("Notice"),
      userId: Schema.String,
      action: Schema.Literals(noticeActions),
      at: Schema.Number,
      network: Schema.NullOr(Schema.String),
      userAgent: Schema.NullOr(Schema.String)
    }),
    Schema.Struct({
      kind: Schema.Literal("Campaign"),
      userId: Schema.String,
      accountId: Schema.String,
      campaignId: Schema.String,
      news: Schema.Literals(campaignNews),
      reason: Schema.NullOr(Schema.Literals(pauseReasons))
    }),
    Schema.Struct({
      kind: Schema.Literal("Standing"),
      userId: Schema.String,
      accountId: Schema.String,
      isHeld: Schema.Boolean
    }),
    Schema.Struct({
      kind: Schema.Literal("ApprovalRequested"),
      accountId: Schema.String,
      campaignId: Schema.String
    }),
    Schema.Struct({
      kind: Schema.Literal("StandingChanged"),
      accountId: Schema.String,
      isHeld: Schema.Boolean
    })
  ])
})
