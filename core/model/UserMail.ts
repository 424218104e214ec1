/**
 * What the installation writes to its users (docs/contributing/people.md 5).
 *
 * @module
 */

import type { PauseReason } from "./Campaign.ts"

/** What a user is notified of: the action of the audit log. */
export const noticeActions = [
  "session.opened",
  "user.password_set",
  "user.factor_added",
  "user.factor_removed",
  "user.recovery_codes_made",
  "user.passkey_added",
  "user.passkey_removed",
  "user.passkey_copied"
] as const

/** What a user is notified of. */
export type NoticeAction = (typeof noticeActions)[number]

/** Where a change or a sign-in came from. */
export interface NoticePlace {
  readonly network: string | null
  readonly userAgent: string | null
}

/** Notifies a user of a change or a sign-in. */
export interface Notice extends NoticePlace {
  readonly kind: "Notice"
  readonly userId: string
  readonly action: NoticeAction
  /** Epoch milliseconds. */
  readonly at: number
}

/** The marketing of an account is held by its standing, or is no longer. */
export interface StandingChange {
  readonly accountId: string
  readonly isHeld: boolean
}

/**
 * What a user is notified of about a campaign: it paused itself, it is sent, a person is to pick the winner of its test, many people
 * unsubscribed by it, or its approval is requested.
 */
export const campaignNews = ["Paused", "Sent", "Deciding", "Unsubscribed", "Requested"] as const

/** What a user is notified of about a campaign. */
export type CampaignNews = (typeof campaignNews)[number]

/** The approval of a campaign is requested of all who may give it. */
export interface ApprovalRequest {
  readonly accountId: string
  readonly campaignId: string
}

/** Tells who launched a campaign what became of it, or who may approve one that it is requested. */
export interface CampaignMail {
  readonly kind: "Campaign"
  readonly userId: string
  readonly accountId: string
  readonly campaignId: string
  readonly news: CampaignNews
  /** Why it is paused; else null. */
  readonly reason: PauseReason | null
}

/** An email with a link that signs a user in or up. */
export type LinkMail =
  | { readonly kind: "Invitation"; readonly userId: string; readonly companyId: string | null }
  /** To a normalized address, of a user or not: who asks learns neither by what the call costs. */
  | { readonly kind: "Reset"; readonly email: string }

/** An email to a user, before its text is written and its link is made. */
export type UserMail =
  | CampaignMail
  | LinkMail
  | Notice
  | (StandingChange & { readonly kind: "Standing"; readonly userId: string })

/** What is written to users: to one, or to all whom a change of standing, or the request of an approval, concerns. */
export type UserMailing =
  | UserMail
  | (ApprovalRequest & { readonly kind: "ApprovalRequested" })
  | (StandingChange & { readonly kind: "StandingChanged" })
