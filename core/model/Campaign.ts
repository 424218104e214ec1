/**
 * Campaigns: one message, sent once, to the people of one or more segments. Defines the records of a campaign, its versions, its
 * progress and its recipients.
 *
 * @module
 */
import type { Json } from "../shared/Json.ts"
import type { Mailbox } from "../shared/Mailbox.ts"
import type { Place } from "../shared/Page.ts"
import type { LocalHours, Sender, Tracking } from "./Account.ts"
import type { Edited, Editor } from "./Edited.ts"

/** Every status of a campaign. */
export const campaignStatuses = ["Draft", "Scheduled", "Sending", "Paused", "Sent", "Cancelled"] as const

/** The status of a campaign. */
export type CampaignStatus = (typeof campaignStatuses)[number]

/** The statuses in which the segments, templates and topics that a campaign uses must not be deleted. */
export const activeStatuses: ReadonlyArray<CampaignStatus> = ["Scheduled", "Sending", "Paused"]

/** The most campaigns that are read, or listed, as users of a segment, template or topic. */
export const maxOpenCampaigns = 1_000

/** The statuses in which a campaign's queued emails may be sent. */
export const leavingStatuses: ReadonlyArray<CampaignStatus> = ["Sending", "Sent"]

/** Every state of a recipient. */
export const recipientStates = ["Pending", "Submitted", "Skipped", "HeldOut", "Cancelled"] as const

/** The state of a recipient. Only Pending ones change. */
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
  "sending.gate_frequency",
  "sending.quiet_hours",
  "campaigns.window",
  "campaigns.test",
  "campaigns.pace",
  "sending.daily_cap",
  "sending.provider_held",
  "sending.warming_up",
  "sending.held_too_long",
  "sending.cancelled"
] as const

/** The reasons of recipients to whose servers no mail is being sent. */
export const serverReasons = [
  "sending.provider_held",
  "sending.warming_up"
] as const satisfies ReadonlyArray<RecipientReason>

/** Why a recipient waits, or got no email. */
export type RecipientReason = (typeof recipientReasons)[number]

/** Why a campaign is paused. */
export const pauseReasons = [
  "campaigns.paused_by_operator",
  "campaigns.check_failed",
  "campaigns.complaints",
  "campaigns.bounces",
  "campaigns.render_failures",
  "campaigns.sender_failing",
  "campaigns.standing"
] as const

/** Why a campaign is paused. */
export type PauseReason = (typeof pauseReasons)[number]

/** The content of a campaign: a template, in a fixed or the latest version at launch, or its own subject and bodies. */
export type CampaignContent =
  | { readonly templateId: string; readonly templateVersion: number | null }
  | {
      readonly subject: string
      readonly preheader: string | null
      readonly html: string | null
      readonly text: string | null
    }

/** Content for further languages, by BCP 47 tag. */
export type ContentLanguages = Readonly<Record<string, CampaignContent>>

/** The measures by which a test compares variants: the share of the people delivered to; machines do not count. */
export const testMetrics = ["Clicks", "Opens", "Conversions"] as const

/** Who picks the winner of a test: the service, or a person. */
export const testDecisions = ["Auto", "Manual"] as const

/** What happens if the difference may be due to chance: the first variant wins, or a person decides. */
export const undecidedChoices = ["First", "Ask"] as const

/** The ids of variants, in order. */
export const variantIds = ["a", "b", "c", "d", "e"] as const

/** The id of a variant. */
export type VariantId = (typeof variantIds)[number]

/** A variant: one of the contents that a test compares. */
export interface CampaignVariant {
  readonly id: VariantId
  readonly name: string | null
  readonly content: CampaignContent
  readonly languages: ContentLanguages
  /** The sender; null for that of the campaign. */
  readonly from: Sender | null
}

/** A test that sends variants to a part of the audience. The rest of the audience gets the winner. */
export interface CampaignTest {
  /** 2 to 5. */
  readonly variants: ReadonlyArray<CampaignVariant>
  /** The percentage of the audience that is tested, 1 to 100. */
  readonly share: number
  readonly metric: (typeof testMetrics)[number]
  /** How long to wait for results after the last email of the test, as an ISO 8601 duration. */
  readonly after: string
  readonly decide: (typeof testDecisions)[number]
  /** 0.8 to 0.99. */
  readonly confidence: number
  readonly undecided: (typeof undecidedChoices)[number]
}

/** The units of a pace. */
export const paceUnits = ["Minute", "Hour", "Day"] as const

/** The most emails of a campaign per unit of time, spread evenly over it. */
export interface CampaignPace {
  readonly emails: number
  readonly per: (typeof paceUnits)[number]
}

/** The `utm_` parameters that are added to links. */
export interface CampaignUtm {
  readonly source: string
  readonly medium: string
  readonly campaign: string
  readonly term: string | null
  /** `utm_content`; null for the id of the variant. */
  readonly content: string | null
}

/** What happens to people who have reached a frequency cap: they are skipped, or first wait some hours. */
export type WhenCapped = { readonly action: "Skip" } | { readonly action: "Wait"; readonly hours: number }

/** The hours in which emails are sent, in each person's time zone, on days from 1 (Monday) to 7. */
export interface CampaignWindow extends LocalHours {
  readonly days: ReadonlyArray<number>
}

/** Whether the account's quiet hours apply to a campaign. */
export const quietChoices = ["Respect", "Ignore"] as const

/** What happens to people for whom the local time has passed. */
export const lateChoices = ["SendNow", "Skip"] as const

/**
 * When a campaign is sent: at one time (epoch milliseconds), or at a local time `YYYY-MM-DDTHH:MM` in each person's time zone.
 */
export type CampaignSchedule =
  | { readonly at: number }
  | { readonly localTime: string; readonly late: (typeof lateChoices)[number] }

/** Whether and how the account's public archive shows a campaign that was sent. */
export interface CampaignArchive {
  readonly public: boolean
  /** The part of its address in the archive, unique in the account; null for a campaign that was never public. */
  readonly slug: string | null
  /** The title; null for the subject. */
  readonly title: string | null
  readonly summary: string | null
}

/** The definition of a campaign, as a person edits it. */
export interface CampaignDefinition {
  readonly content: CampaignContent | null
  /** The other languages of `content`. */
  readonly languages: ContentLanguages
  /** A test of variants, with which `content` is null; null for a single content. */
  readonly test: CampaignTest | null
  /** The sender; null for the account's default sender at launch. */
  readonly from: Sender | null
  readonly replyTo: Mailbox | null
  /** The key of a topic; null if consent alone decides. */
  readonly topic: string | null
  /** The ids of segments: the audience is the people in any of `segments` and in none of `exclude`. */
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
  /** When the campaign is sent; null for at launch. */
  readonly schedule: CampaignSchedule | null
  /** The tracking; null for the account's `campaignTracking`. */
  readonly tracking: Tracking | null
  readonly utm: CampaignUtm | null
  /** The pace; null for no limit. */
  readonly pace: CampaignPace | null
  /** The hours in which emails are sent; null for at any time. */
  readonly window: CampaignWindow | null
  readonly quietHours: (typeof quietChoices)[number]
  readonly whenCapped: WhenCapped
  /** The percentage of people who do not get the campaign, for comparison. */
  readonly holdoutPercent: number
  readonly archive: CampaignArchive
  /** Whether lists leave the campaign out, unless they ask for archived ones. */
  readonly isArchived: boolean
  readonly tags: ReadonlyArray<string>
}

/** The definition of a new campaign. */
export const emptyDefinition: CampaignDefinition = {
  content: null,
  languages: {},
  test: null,
  from: null,
  replyTo: null,
  topic: null,
  audience: { segments: [], exclude: [] },
  schedule: null,
  tracking: null,
  utm: null,
  pace: null,
  window: null,
  quietHours: "Respect",
  whenCapped: { action: "Skip" },
  holdoutPercent: 0,
  archive: { public: false, slug: null, title: null, summary: null },
  isArchived: false,
  tags: []
}

/** All contents of a campaign, for every language and variant. */
export const contentsOf = ({ definition }: Pick<Campaign, "definition">): ReadonlyArray<CampaignContent> => {
  const { content, languages, test } = definition
  return [
    ...(content === null ? [] : [content]),
    ...Object.values(languages),
    ...(test?.variants ?? []).flatMap((variant) => [variant.content, ...Object.values(variant.languages)])
  ]
}

/** The progress of a campaign's test. Times are epoch milliseconds. */
export interface TestState {
  /** When the last email of the test was attempted. */
  readonly sentAt: number
  /** The variant that the rest of the audience gets; null until it is decided. */
  readonly winner: VariantId | null
  /** Whether a person must decide. */
  readonly isAsked: boolean
}

/** The reasons of people who wait until a time in their own time zone. People who wait for a local time have no reason. */
export const clockReasons: ReadonlyArray<RecipientReason> = ["campaigns.window", "sending.quiet_hours"]

/** Every state of an approval. */
export const approvalStates = ["NotNeeded", "Missing", "Requested", "Approved", "Rejected"] as const

/** The state of an approval. `NotNeeded` if the campaign was launched without one. */
export type ApprovalState = (typeof approvalStates)[number]

/** The approval of a campaign. Any change of the campaign voids it. */
export interface CampaignApproval {
  readonly state: ApprovalState
  /** Who requested, approved or rejected it, and when (epoch milliseconds); null before. */
  readonly by: Editor | null
  readonly at: number | null
  readonly comment: string | null
  /** For an approved campaign, SHA-256 of what it would send, from whom and to which segments; null otherwise. */
  readonly digest: string | null
  /** The person who last changed the campaign, and who must not approve it. */
  readonly editor: Editor
}

/** A campaign. All times are epoch milliseconds. */
export interface Campaign extends Edited {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly status: CampaignStatus
  /** Why the campaign is paused; null if it is not. */
  readonly statusReason: PauseReason | null
  readonly statusAt: number
  readonly definition: CampaignDefinition
  /** The version that is being sent; 0 before the launch. */
  readonly version: number
  /** When sending starts; null for a draft. */
  readonly startAt: number | null
  readonly launchedAt: number | null
  /** The counts at launch or at the last resume, from which the limits of an automatic pause are measured. */
  readonly baseline: CampaignBaseline
  /** The progress of its test; null until all emails of the test are sent, and without a test. */
  readonly test: TestState | null
  /** The approval; null if the campaign was never changed since its creation. */
  readonly approval: CampaignApproval | null
  readonly createdBy: Editor
  readonly createdAt: number
}

/** Counts that the limits of an automatic pause ignore, and events that are not reported again. */
export interface CampaignBaseline {
  readonly attempted: number
  readonly bounced: number
  readonly delivered: number
  readonly complained: number
  readonly processed: number
  readonly renderFailed: number
  /** Whether it was reported that many people unsubscribed; absent means no. */
  readonly isUnsubscribingReported?: boolean
}

/** The baseline at launch. */
export const emptyBaseline: CampaignBaseline = {
  attempted: 0,
  bounced: 0,
  delivered: 0,
  complained: 0,
  processed: 0,
  renderFailed: 0
}

/** The content of a version for a variant, a language, or both. */
export interface VersionPart {
  /** The variant; null without a test. */
  readonly variant: VariantId | null
  /** A lower-case BCP 47 tag; null for all other languages. */
  readonly language: string | null
  /** The sender; null for that of the version. */
  readonly from: Sender | null
  readonly templateId: string | null
  /** The version of the template. Null without a template, and for a launch before template versions were stored. */
  readonly templateVersion: number | null
  readonly subject: string
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
}

/** A campaign as it was frozen by a launch, or by an edit while paused. Stored once, whatever the size of the audience. */
export interface CampaignVersion {
  readonly accountId: string
  readonly campaignId: string
  /** From 1. */
  readonly version: number
  readonly name: string
  readonly templateId: string | null
  readonly templateVersion: number | null
  readonly subject: string
  readonly preheader: string | null
  /** HTML, compiled if it was written as MJML. */
  readonly html: string | null
  readonly text: string | null
  /** The contents of variants and languages that replace the version's own; null for none. */
  readonly parts: ReadonlyArray<VersionPart> | null
  readonly from: Sender
  readonly replyTo: Mailbox | null
  readonly utm: CampaignUtm | null
  /** The id of the topic. */
  readonly topicId: string | null
  readonly tracking: Tracking
  readonly createdAt: number
  readonly createdBy: Editor
}

/** The number of recipients decided in a minute and in the previous one. */
export interface RecentDecisions {
  /** When the minute began, epoch milliseconds. */
  readonly since: number
  readonly count: number
  readonly before: number
}

/** How far a campaign has read and decided its audience. */
export interface CampaignProgress {
  readonly accountId: string
  readonly campaignId: string
  /** The time to which the rules of its segments are relative, epoch milliseconds; null before the first read. */
  readonly asOf: number | null
  /** The rules of its segments as of that time. */
  readonly segments: Json
  /** The contact after which the next read begins; null before the first. */
  readonly position: Place | null
  /** Whether all contacts have been read. */
  readonly isComplete: boolean
  /** When the pace allows the next email, epoch milliseconds; null before the first. */
  readonly pacedAt: number | null
  /** Recent decisions; null before the first. */
  readonly recent: RecentDecisions | null
  /** When the progress last changed, epoch milliseconds. */
  readonly updatedAt: number
}

/** Why the content did not render for a recipient: the error code, and the position in the content, if known. */
export interface RenderError {
  readonly code: string
  readonly line: number | null
  readonly column: number | null
}

/** One person of a campaign's audience. */
export interface CampaignRecipient {
  readonly accountId: string
  readonly campaignId: string
  readonly contactId: string
  readonly state: RecipientState
  readonly reason: RecipientReason | null
  /**
   * The variant of a test that this person gets. Null without a test, and for the rest of the audience until the test is decided.
   */
  readonly variant: VariantId | null
  /** When a Pending recipient will be decided, epoch milliseconds. */
  readonly dueAt: number
  /**
   * When the time zone changed while the person waited for a local time, epoch milliseconds; null otherwise, and once decided.
   */
  readonly movedAt: number | null
  /** The submitted version; null before. */
  readonly version: number | null
  /** The email of a Submitted recipient, which is also the delivery; null otherwise. */
  readonly deliveryId: string | null
  /** When the recipient was decided, or since when a Pending one waits for its server, epoch milliseconds; null otherwise. */
  readonly decidedAt: number | null
  /** The error of a recipient who was skipped because the content did not render; null otherwise. */
  readonly renderError: RenderError | null
}

/** The audience of a campaign's copy: the same, or the people of it who did not open the campaign, click in it or get it. */
export const copyTargets = ["Same", "NotOpened", "NotClicked", "NotSent"] as const

/** The audience of a campaign's copy. */
export type CopyTarget = (typeof copyTargets)[number]

/** What a retry includes: people for whom the content did not render, or people whose email no server accepted. */
export const retryChoices = ["RenderFailed", "NotDelivered"] as const

/** For how long after its end a campaign can be retried, milliseconds: 7 days. */
export const retryMillis = 7 * 86_400_000

/** A decision about a recipient. */
export interface RecipientDecision extends Pick<
  CampaignRecipient,
  "contactId" | "deliveryId" | "dueAt" | "reason" | "renderError" | "state" | "variant" | "version"
> {
  /** The keyed hash of a Submitted recipient's address, which no other Submitted recipient can have; null otherwise. */
  readonly addressHash: string | null
  /** Since when a Pending recipient waits for its server, epoch milliseconds; null otherwise. */
  readonly heldSince: number | null
}

/** The campaign and version that sent an email. */
export interface CampaignOrigin {
  readonly id: string
  readonly version: number
  /** The variant; absent without a test. */
  readonly variant?: VariantId
}

/** The most campaigns of an account. */
export const maxCampaigns = 20_000
/** The most campaigns of an account that are being sent at the same time. */
export const maxSending = 50

/** A campaign that uses a segment, template or topic. */
export type CampaignUse = Pick<Campaign, "id" | "name" | "status">

/** What a campaign can use: a segment that it includes or excludes, a template of any of its contents, or a topic by its key. */
export type CampaignNamed =
  | { readonly segmentId: string }
  | { readonly templateId: string }
  | { readonly topic: string }

/** Whether a campaign uses the segment, template or topic. */
export const isNaming = ({ definition }: Pick<Campaign, "definition">, named: CampaignNamed): boolean => {
  if ("topic" in named) return definition.topic === named.topic
  if ("templateId" in named)
    return contentsOf({ definition }).some(
      (one) => "templateId" in one && one.templateId === named.templateId
    )
  const { exclude, segments } = definition.audience
  return segments.includes(named.segmentId) || exclude.includes(named.segmentId)
}

/** The campaigns to show as users of something, sorted by name. */
export const usesOf = (campaigns: ReadonlyArray<CampaignUse>): ReadonlyArray<CampaignUse> =>
  campaigns
    .map(({ id, name, status }) => ({ id, name, status }))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1))
