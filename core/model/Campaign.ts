/**
 * Campaigns: one message to many people, once. The record of a campaign, its versions and its recipients.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"
import type { Mailbox } from "../shared/Mailbox.ts"
import type { Place } from "../shared/Page.ts"
import type { Sender, Tracking } from "./Account.ts"
import type { Edited, Editor } from "./Edited.ts"

/** Every status of a campaign. */
export const campaignStatuses = ["Draft", "Scheduled", "Sending", "Paused", "Sent", "Cancelled"] as const

/** The status of a campaign. */
export type CampaignStatus = (typeof campaignStatuses)[number]

/** The statuses in which what a campaign names must not be deleted. */
export const activeStatuses: ReadonlyArray<CampaignStatus> = ["Scheduled", "Sending", "Paused"]

/** The statuses in which emails of a campaign that are queued may leave. */
export const leavingStatuses: ReadonlyArray<CampaignStatus> = ["Sending", "Sent"]

/** Every state of a recipient. */
export const recipientStates = ["Pending", "Submitted", "Skipped", "HeldOut", "Cancelled"] as const

/** The state of a recipient: Pending until it is decided, then for good. */
export type RecipientState = (typeof recipientStates)[number]

/** Why a recipient waits, or got no email. */
export const recipientReasons = [
  "campaigns.no_address",
  "campaigns.duplicate_address",
  "campaigns.local_time_passed",
  "campaigns.render_failed",
  "sending.gate_bounced",
  "sending.gate_complained",
  "sending.gate_protected",
  "sending.gate_consent",
  "sending.gate_topic",
  "sending.held_out",
  "sending.daily_cap",
  "sending.cancelled"
] as const

/** Why a recipient waits, or got no email. */
export type RecipientReason = (typeof recipientReasons)[number]

/** Why a campaign is paused. */
export const pauseReasons = [
  "campaigns.paused_by_operator",
  "campaigns.check_failed",
  "campaigns.bounces",
  "campaigns.render_failures",
  "campaigns.sender_failing"
] as const

/** Why a campaign is paused. */
export type PauseReason = (typeof pauseReasons)[number]

/** The content of a campaign: a template, with a version or the newest at launch, or a subject and bodies of its own. */
export type CampaignContent =
  | { readonly templateId: string; readonly templateVersion: number | null }
  | {
      readonly subject: string
      readonly preheader: string | null
      readonly html: string | null
      readonly text: string | null
    }

/** What becomes of people for whom a local time has passed. */
export const lateChoices = ["SendNow", "Skip"] as const

/** When a campaign is sent: at one time (epoch milliseconds), or at a local time `YYYY-MM-DDTHH:MM` of each person. */
export type CampaignSchedule =
  | { readonly at: number }
  | { readonly localTime: string; readonly late: (typeof lateChoices)[number] }

/** What a person writes of a campaign. */
export interface CampaignDefinition {
  readonly content: CampaignContent | null
  /** Null for the account's default sender at launch. */
  readonly from: Sender | null
  readonly replyTo: Mailbox | null
  /** The key of a topic; null where consent alone decides. */
  readonly topic: string | null
  /** Ids of segments: people in any of the first and in none of the second. */
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
  /** Null for at launch. */
  readonly schedule: CampaignSchedule | null
  /** Null for the tracking of flows. */
  readonly tracking: Tracking | null
  /** The percentage of people who do not get it, for comparison. */
  readonly holdoutPercent: number
  readonly tags: ReadonlyArray<string>
}

/** A campaign. All times are epoch milliseconds. */
export interface Campaign extends Edited {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly status: CampaignStatus
  /** Why it is paused; else null. */
  readonly statusReason: PauseReason | null
  readonly statusAt: number
  readonly definition: CampaignDefinition
  /** The version that is sent; 0 before the launch. */
  readonly version: number
  /** When the service starts to send it; null for a draft. */
  readonly startAt: number | null
  readonly launchedAt: number | null
  /** The counts from which the limits of an automatic pause are counted: those at launch or at the last resume. */
  readonly baseline: CampaignBaseline
  readonly createdBy: Editor
  readonly createdAt: number
}

/** What the limits of an automatic pause do not count again. */
export interface CampaignBaseline {
  readonly attempted: number
  readonly bounced: number
  readonly processed: number
  readonly renderFailed: number
}

/** The baseline of a launch. */
export const emptyBaseline: CampaignBaseline = { attempted: 0, bounced: 0, processed: 0, renderFailed: 0 }

/** A campaign as a launch, or an edit while it was paused, froze it. It is stored once, whatever the audience. */
export interface CampaignVersion {
  readonly accountId: string
  readonly campaignId: string
  /** From 1. */
  readonly version: number
  readonly name: string
  readonly templateId: string | null
  readonly subject: string
  readonly preheader: string | null
  /** HTML, compiled where it was MJML. */
  readonly html: string | null
  readonly text: string | null
  readonly from: Sender
  readonly replyTo: Mailbox | null
  /** The id of the topic. */
  readonly topicId: string | null
  readonly tracking: Tracking
  readonly createdAt: number
  readonly createdBy: Editor
}

/** How far the audience of a campaign has been read. */
export interface CampaignProgress {
  readonly accountId: string
  readonly campaignId: string
  /** The time to which the rules of its segments are relative, epoch milliseconds; null before the first read. */
  readonly asOf: number | null
  /** The rules of its segments as of that time. */
  readonly segments: Json
  /** Behind which contact the next read begins; null before the first. */
  readonly position: Place | null
  /** Whether every contact was read. */
  readonly isComplete: boolean
  /** When it last progressed, epoch milliseconds. */
  readonly updatedAt: number
}

/** One person of a campaign's audience. */
export interface CampaignRecipient {
  readonly accountId: string
  readonly campaignId: string
  readonly contactId: string
  readonly state: RecipientState
  readonly reason: RecipientReason | null
  /** When a Pending one is to be decided, epoch milliseconds. */
  readonly dueAt: number
  /** The version that was submitted; null before. */
  readonly version: number | null
  /** The email of a Submitted one, which is also its delivery; null otherwise. */
  readonly deliveryId: string | null
  /** When it was decided, epoch milliseconds; null before. */
  readonly decidedAt: number | null
}

/** What became of a recipient. */
export interface RecipientDecision extends Pick<
  CampaignRecipient,
  "contactId" | "deliveryId" | "dueAt" | "reason" | "state" | "version"
> {
  /** The keyed hash of the address of a Submitted one, under which no other recipient is submitted; null otherwise. */
  readonly addressHash: string | null
}

/** The campaign that sent an email, and which of its versions. */
export interface CampaignOrigin {
  readonly id: string
  readonly version: number
}

/** The most campaigns of an account. */
export const maxCampaigns = 20_000
/** The most campaigns of an account that are sent at the same time. */
export const maxSending = 50
