/**
 * The emails that the installation sends to its users (docs/contributing/people.md 5).
 *
 * @module
 */

import type { PauseReason } from "./Campaign.ts"

/** The events about which a user is notified, as actions of the audit log. */
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

/** An event about which a user is notified. */
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

/** A change of an account's standing that starts or ends the hold of its marketing. */
export interface StandingChange {
  readonly accountId: string
  readonly isHeld: boolean
}

/**
 * The events of a campaign about which a user is notified: it paused itself, it was sent, a person must pick the winner of its
 * test, many people unsubscribed through it, or its approval is requested.
 */
export const campaignNews = ["Paused", "Sent", "Deciding", "Unsubscribed", "Requested"] as const

/** An event of a campaign about which a user is notified. */
export type CampaignNews = (typeof campaignNews)[number]

/** A request to all users who may approve a campaign. */
export interface ApprovalRequest {
  readonly accountId: string
  readonly campaignId: string
}

/** An email about a campaign, to the person who launched it or to those who may approve it. */
export interface CampaignMail {
  readonly kind: "Campaign"
  readonly userId: string
  readonly accountId: string
  readonly campaignId: string
  readonly news: CampaignNews
  /** Why it is paused; null if it is not. */
  readonly reason: PauseReason | null
}

/** An email with a link with which a user signs in or signs up. */
export type LinkMail =
  | { readonly kind: "Invitation"; readonly userId: string; readonly companyId: string | null }
  /** To a normalized address, whether a user has it or not: neither the response nor the time it takes reveals which. */
  | { readonly kind: "Reset"; readonly email: string }

/** An email to a user, before its text is written and its link is created. */
export type UserMail =
  | CampaignMail
  | LinkMail
  | Notice
  | (StandingChange & { readonly kind: "Standing"; readonly userId: string })

/** Emails to users: to one, or to all whom a change of standing or a request for approval concerns. */
export type UserMailing =
  | UserMail
  | (ApprovalRequest & { readonly kind: "ApprovalRequested" })
  | (StandingChange & { readonly kind: "StandingChanged" })
