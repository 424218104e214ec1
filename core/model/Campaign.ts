/**
 * Campaigns: one message to many people, once. The record of a campaign, its versions and its recipients.
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

/** The statuses in which what a campaign names must not be deleted. */
export const activeStatuses: ReadonlyArray<CampaignStatus> = ["Scheduled", "Sending", "Paused"]

/** The most campaigns that are read, or listed, as users of a thing. */
export const maxOpenCampaigns = 1_000

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

/** The reasons of recipients to whose servers no mail goes now. */
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

/** The content of a campaign: a template, with a version or the newest at launch, or a subject and bodies of its own. */
export type CampaignContent =
  | { readonly templateId: string; readonly templateVersion: number | null }
  | {
      readonly subject: string
      readonly preheader: string | null
      readonly html: string | null
      readonly text: string | null
    }

/** Content for a language other than that of the content beside it, by its tag of BCP 47. */
export type ContentLanguages = Readonly<Record<string, CampaignContent>>

/** What a test compares variants by: people among those delivered, machines left out. */
export const testMetrics = ["Clicks", "Opens", "Conversions"] as const

/** Who decides a test: the service, or a person. */
export const testDecisions = ["Auto", "Manual"] as const

/** What follows where chance may have made the difference: the first variant wins, or a person decides. */
export const undecidedChoices = ["First", "Ask"] as const

/** The ids of variants, in order. */
export const variantIds = ["a", "b", "c", "d", "e"] as const

/** The id of a variant. */
export type VariantId = (typeof variantIds)[number]

/** One of the contents that a test compares. */
export interface CampaignVariant {
  readonly id: VariantId
  readonly name: string | null
  readonly content: CampaignContent
  readonly languages: ContentLanguages
  /** Null for the sender of the campaign. */
  readonly from: Sender | null
}

/** A test of variants by a part of the audience, whose winner the rest gets. */
export interface CampaignTest {
  /** 2 to 5. */
  readonly variants: ReadonlyArray<CampaignVariant>
  /** The percentage of the audience that is tested, 1 to 100. */
  readonly share: number
  readonly metric: (typeof testMetrics)[number]
  /** An ISO 8601 duration, from the last email of the test. */
  readonly after: string
  readonly decide: (typeof testDecisions)[number]
  /** 0.8 to 0.99. */
  readonly confidence: number
  readonly undecided: (typeof undecidedChoices)[number]
}

/** The units of a pace. */
export const paceUnits = ["Minute", "Hour", "Day"] as const

/** The most emails of a campaign in a unit of time, spread evenly over it. */
export interface CampaignPace {
  readonly emails: number
  readonly per: (typeof paceUnits)[number]
}

/** The parameters that links get. */
export interface CampaignUtm {
  readonly source: string
  readonly medium: string
  readonly campaign: string
  readonly term: string | null
  /** Null for the id of the variant. */
  readonly content: string | null
}

/** What becomes of people who got as much marketing as the frequency caps allow: they are skipped, or wait some hours first. */
export type WhenCapped = { readonly action: "Skip" } | { readonly action: "Wait"; readonly hours: number }

/** The hours in which emails are sent, in the time zone of each person, on days from 1 (Monday) to 7. */
export interface CampaignWindow extends LocalHours {
  readonly days: ReadonlyArray<number>
}

/** Whether the quiet hours of the account bind a campaign. */
export const quietChoices = ["Respect", "Ignore"] as const

/** What becomes of people for whom a local time has passed. */
export const lateChoices = ["SendNow", "Skip"] as const

/** When a campaign is sent: at one time (epoch milliseconds), or at a local time `YYYY-MM-DDTHH:MM` of each person. */
export type CampaignSchedule =
  | { readonly at: number }
  | { readonly localTime: string; readonly late: (typeof lateChoices)[number] }

/** Whether and how the archive of the account shows a campaign that was sent. */
export interface CampaignArchive {
  readonly public: boolean
  /** Its name in the archive, unique in the account; null for one that was never public and has none. */
  readonly slug: string | null
  /** Null for its subject. */
  readonly title: string | null
  readonly summary: string | null
}

/** What a person writes of a campaign. */
export interface CampaignDefinition {
  readonly content: CampaignContent | null
  /** Of `content`. */
  readonly languages: ContentLanguages
  /** Null for one content; else `content` is null. */
  readonly test: CampaignTest | null
  /** Null for the account's default sender at launch. */
  readonly from: Sender | null
  readonly replyTo: Mailbox | null
  /** The key of a topic; null where consent alone decides. */
  readonly topic: string | null
  /** Ids of segments: people in any of the first and in none of the second. */
  readonly audience: { readonly segments: ReadonlyArray<string>; readonly exclude: ReadonlyArray<string> }
  /** Null for at launch. */
  readonly schedule: CampaignSchedule | null
  /** Null for the account's `campaignTracking`. */
  readonly tracking: Tracking | null
  readonly utm: CampaignUtm | null
  /** Null for no limit. */
  readonly pace: CampaignPace | null
  /** Null for at any time. */
  readonly window: CampaignWindow | null
  readonly quietHours: (typeof quietChoices)[number]
  readonly whenCapped: WhenCapped
  /** The percentage of people who do not get it, for comparison. */
  readonly holdoutPercent: number
  readonly archive: CampaignArchive
  /** Whether lists leave it out unless they are asked for it. */
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

/** The contents of a campaign: of all its languages and variants. */
export const contentsOf = ({ definition }: Pick<Campaign, "definition">): ReadonlyArray<CampaignContent> => {
  const { content, languages, test } = definition
  return [
    ...(content === null ? [] : [content]),
    ...Object.values(languages),
    ...(test?.variants ?? []).flatMap((variant) => [variant.content, ...Object.values(variant.languages)])
  ]
}

/** How far the test of a campaign is. Times are epoch milliseconds. */
export interface TestState {
  /** When the last email of the test was attempted. */
  readonly sentAt: number
  /** The variant that the rest gets; null while it is not decided. */
  readonly winner: VariantId | null
  /** Whether a person is to decide. */
  readonly isAsked: boolean
}

/** Why people wait until a time on their clocks; those who wait for a local time have no reason. */
export const clockReasons: ReadonlyArray<RecipientReason> = ["campaigns.window", "sending.quiet_hours"]

/** Every state of an approval. */
export const approvalStates = ["NotNeeded", "Missing", "Requested", "Approved", "Rejected"] as const

/** The state of an approval: `NotNeeded` for a campaign that was launched without one. */
export type ApprovalState = (typeof approvalStates)[number]

/** The approval of a campaign, which a change of it voids. */
export interface CampaignApproval {
  readonly state: ApprovalState
  /** Who requested, approved or rejected it, and when (epoch milliseconds); null before. */
  readonly by: Editor | null
  readonly at: number | null
  readonly comment: string | null
  /** SHA-256 of what an approved draft would send, from whom and to which segments; null otherwise. */
  readonly digest: string | null
  /** Who changed the campaign last, and must not approve it. */
  readonly editor: Editor
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
  /** Null while the emails of its test are not sent, and without a test. */
  readonly test: TestState | null
  /** Null for a campaign that no one has changed since it was created. */
  readonly approval: CampaignApproval | null
  readonly createdBy: Editor
  readonly createdAt: number
}

/** What the limits of an automatic pause do not count again, and what is not reported again. */
export interface CampaignBaseline {
  readonly attempted: number
  readonly bounced: number
  readonly delivered: number
  readonly complained: number
  readonly processed: number
  readonly renderFailed: number
  /** Whether it was reported that many people unsubscribed; left out for not yet. */
  readonly isUnsubscribingReported?: boolean
}

/** The baseline of a launch. */
export const emptyBaseline: CampaignBaseline = {
  attempted: 0,
  bounced: 0,
  delivered: 0,
  complained: 0,
  processed: 0,
  renderFailed: 0
}

/** Content of a version for a variant, for a language, or for both. */
export interface VersionPart {
  /** Null without a test. */
  readonly variant: VariantId | null
  /** A tag of BCP 47, lower case; null for every other language. */
  readonly language: string | null
  /** Null for the version's sender. */
  readonly from: Sender | null
  readonly templateId: string | null
  /** The version of the template; null without one, and for what was launched before versions were kept. */
  readonly templateVersion: number | null
  readonly subject: string
  readonly preheader: string | null
  readonly html: string | null
  readonly text: string | null
}

/** A campaign as a launch, or an edit while it was paused, froze it. It is stored once, whatever the audience. */
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
  /** HTML, compiled where it was MJML. */
  readonly html: string | null
  readonly text: string | null
  /** What variants and languages have instead; null for none. */
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

/** How many recipients were decided in a minute and in the one before it. */
export interface RecentDecisions {
  /** When the minute began, epoch milliseconds. */
  readonly since: number
  readonly count: number
  readonly before: number
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
  /** When the pace allows the next email, epoch milliseconds; null before the first. */
  readonly pacedAt: number | null
  /** Null before the first decision. */
  readonly recent: RecentDecisions | null
  /** When it last progressed, epoch milliseconds. */
  readonly updatedAt: number
}

/** Why the content of a campaign did not render for a recipient: the code of the error, and where in the content it is known. */
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
  /** The variant of a test that is or would be sent; null without one, and for the rest until the test is decided. */
  readonly variant: VariantId | null
  /** When a Pending one is to be decided, epoch milliseconds. */
  readonly dueAt: number
  /** When their time zone changed while they waited for a local time, epoch milliseconds; null otherwise, and once it was decided on. */
  readonly movedAt: number | null
  /** The version that was submitted; null before. */
  readonly version: number | null
  /** The email of a Submitted one, which is also its delivery; null otherwise. */
  readonly deliveryId: string | null
  /** When it was decided, or since when a Pending one waits for its server, epoch milliseconds; null otherwise. */
  readonly decidedAt: number | null
  /** Of one who was skipped since the content did not render; null otherwise. */
  readonly renderError: RenderError | null
}

/** Whom a copy of a campaign is for: the same audience, or those of it who did not open it, click it or get it. */
export const copyTargets = ["Same", "NotOpened", "NotClicked", "NotSent"] as const

/** Whom a copy of a campaign is for. */
export type CopyTarget = (typeof copyTargets)[number]

/** What is tried again of a campaign: people for whom its content did not render, and emails that no server accepted. */
export const retryChoices = ["RenderFailed", "NotDelivered"] as const

/** How long after its end a campaign is tried again, milliseconds: 7 days. */
export const retryMillis = 7 * 86_400_000

/** What became of a recipient. */
export interface RecipientDecision extends Pick<
  CampaignRecipient,
  "contactId" | "deliveryId" | "dueAt" | "reason" | "renderError" | "state" | "variant" | "version"
> {
  /** The keyed hash of the address of a Submitted one, under which no other recipient is submitted; null otherwise. */
  readonly addressHash: string | null
  /** Since when a Pending one waits for its server, epoch milliseconds; null otherwise. */
  readonly heldSince: number | null
}

/** The campaign that sent an email, and which of its versions. */
export interface CampaignOrigin {
  readonly id: string
  readonly version: number
  /** Absent without a test. */
  readonly variant?: VariantId
}

/** The most campaigns of an account. */
export const maxCampaigns = 20_000
/** The most campaigns of an account that are sent at the same time. */
export const maxSending = 50

/** A campaign that uses something. */
export type CampaignUse = Pick<Campaign, "id" | "name" | "status">

/** What a campaign names: a segment that it includes or excludes, a template of any of its contents, or the key of a topic. */
export type CampaignNamed =
  | { readonly segmentId: string }
  | { readonly templateId: string }
  | { readonly topic: string }

/** Whether a campaign names something. */
export const isNaming = ({ definition }: Pick<Campaign, "definition">, named: CampaignNamed): boolean => {
  if ("topic" in named) return definition.topic === named.topic
  if ("templateId" in named)
    return contentsOf({ definition }).some(
      (one) => "templateId" in one && one.templateId === named.templateId
    )
  const { exclude, segments } = definition.audience
  return segments.includes(named.segmentId) || exclude.includes(named.segmentId)
}

/** What is shown of campaigns that use something, in the order of their names. */
export const usesOf = (campaigns: ReadonlyArray<CampaignUse>): ReadonlyArray<CampaignUse> =>
  campaigns
    .map(({ id, name, status }) => ({ id, name, status }))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en") || (one.id < other.id ? -1 : 1))
