/**
 * The states of a campaign and the allowed transitions between them, its phases, and the rules of the automatic pause
 * (docs/campaigns.md "States").
 *
 * @module
 */
import type { Account, CampaignLimits } from "../model/Account.ts"
import {
  type ApprovalState,
  type Campaign,
  type CampaignApproval,
  type CampaignBaseline,
  type CampaignDefinition,
  type CampaignPace,
  type CampaignProgress,
  type CampaignRecipient,
  type CampaignStatus,
  type CampaignTest,
  emptyBaseline,
  leavingStatuses,
  type PauseReason,
  type RecipientDecision,
  type RecipientReason,
  recipientReasons,
  type RecipientState,
  recipientStates,
  serverReasons
} from "../model/Campaign.ts"
import {
  type DeliveryReason,
  deliveryReasons,
  type DeliveryStatus,
  deliveryStatuses
} from "../model/DeliveryStatus.ts"
import { clickedBy, type DeliveryVisits, openedBy, type VisitVerdict, visitVerdicts } from "../model/Visit.ts"
import { deepEqual } from "../shared/Json.ts"

/** An action of a person on a campaign. */
export type CampaignAction = "launch" | "unschedule" | "pause" | "resume" | "cancel"

/**
 * The effect of each action: the statuses from which it starts, and the statuses in which its result already holds,
 * so that a repeated call changes nothing.
 */
const actions: Readonly<
  Record<
    CampaignAction,
    { readonly from: ReadonlyArray<CampaignStatus>; readonly done: ReadonlyArray<CampaignStatus> }
  >
> = {
  launch: { from: ["Draft"], done: ["Scheduled", "Sending"] },
  unschedule: { from: ["Scheduled"], done: ["Draft"] },
  pause: { from: ["Sending"], done: ["Paused"] },
  resume: { from: ["Paused"], done: ["Sending"] },
  cancel: { from: ["Scheduled", "Sending", "Paused"], done: ["Cancelled"] }
}

/** The decision on an action: it is made, its result already holds, or the status does not allow it. */
export type ActionDecision = "Make" | "Holds" | "Conflict"

/**
 * Decides an action.
 *
 * @param retrying how many emails of the campaign wait for another attempt; a Sent campaign can be cancelled while
 * there are any
 */
export const decideAction = (
  action: CampaignAction,
  status: CampaignStatus,
  retrying: number
): ActionDecision => {
  const { done, from } = actions[action]
  if (from.includes(status)) return "Make"
  if (action === "cancel" && status === "Sent" && retrying > 0) return "Make"
  return done.includes(status) ? "Holds" : "Conflict"
}

/**
 * The fields that can be changed while a campaign is paused. A change applies to the people who have not got the
 * campaign yet.
 */
export const editableWhilePaused: ReadonlySet<string> = new Set([
  "content",
  "test",
  "from",
  "replyTo",
  "pace",
  "window",
  "quietHours",
  "whenCapped"
])

/** Whether a field can be changed in a status. */
export const isEditable = (status: CampaignStatus, field: string): boolean =>
  status === "Draft" || (status === "Paused" && editableWhilePaused.has(field)) || isAlwaysEditable(field)

/**
 * A test without the content of its variants: the part that cannot be changed once people are divided among the
 * variants.
 */
const divisionOf = (test: CampaignTest | null) =>
  test && { ...test, variants: test.variants.map(({ id }) => id) }

/** Whether a changed test has the same variants and decides in the same way, as a running test must. */
export const isSameDivision = (before: CampaignTest | null, after: CampaignTest | null): boolean =>
  deepEqual(divisionOf(before), divisionOf(after))

/** The fields that can be changed in every status, because they change no email. */
const alwaysEditable: ReadonlySet<string> = new Set(["name", "tags", "archive", "isArchived"])

/** Whether a field can be changed in every status. */
export const isAlwaysEditable = (field: string): boolean => alwaysEditable.has(field)

/** The counts of a campaign: recipients by state and reason, emails by status. */
export interface CampaignCounts {
  readonly recipients: Readonly<Record<RecipientState, number>>
  /** Skipped recipients by reason, without reasons that no recipient has. */
  readonly skippedBy: Readonly<Partial<Record<RecipientReason, number>>>
  /** Pending recipients by reason, without reasons that no recipient has. */
  readonly pendingBy: Readonly<Partial<Record<RecipientReason, number>>>
  readonly emails: Readonly<Record<DeliveryStatus, number>>
  /** Emails that have not been attempted yet and still may be. */
  readonly untried: number
  /** Emails that wait for another attempt. */
  readonly retrying: number
  /** Queued emails that wait for a reason, by that reason, without reasons that no email has. */
  readonly queuedBy: Readonly<Partial<Record<DeliveryReason, number>>>
  /** Emails that failed because the mailbox was full. */
  readonly softBounced: number
  /**
   * Emails that were opened, and emails with a clicked link. Each email counts once, under its most human verdict.
   */
  readonly opened: Readonly<Record<VisitVerdict, number>>
  readonly clicked: Readonly<Record<VisitVerdict, number>>
  /** Emails whose recipient complained, unsubscribed by the email's link, or turned a topic off. */
  readonly complained: number
  readonly unsubscribed: number
  readonly topicOff: number
}

/**
 * Parses the stored counters of a campaign. Their names are: `r:` and a state; `s:` and the reason of a skipped
 * recipient; `p:` and the reason of a pending one; `d:` and a status or another property of emails; `q:` and the
 * reason of a queued email; `opened:` or `clicked:` and a verdict.
 */
export const countsOf = (stored: ReadonlyMap<string, number>): CampaignCounts => {
  const of = <Name extends string>(prefix: string, names: ReadonlyArray<Name>) =>
    Object.fromEntries(names.map((name) => [name, stored.get(prefix + name) ?? 0])) as Record<Name, number>
  const some = <Name extends string>(prefix: string, names: ReadonlyArray<Name>) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const count = stored.get(prefix + name) ?? 0
        return count === 0 ? [] : [[name, count] as const]
      })
    ) as Partial<Record<Name, number>>
  const { complained, retrying, softBounced, topicOff, unsubscribed, untried } = of("d:", [
    "untried",
    "retrying",
    "softBounced",
    "complained",
    "unsubscribed",
    "topicOff"
  ])
  return {
    recipients: of("r:", recipientStates),
    skippedBy: some("s:", recipientReasons),
    pendingBy: some("p:", recipientReasons),
    emails: of("d:", deliveryStatuses),
    untried,
    retrying,
    queuedBy: some("q:", deliveryReasons),
    softBounced,
    opened: of("opened:", visitVerdicts),
    clicked: of("clicked:", visitVerdicts),
    complained,
    unsubscribed,
    topicOff
  }
}

/** The names of the counters that include a recipient. */
export const namesOfRecipient = (
  state: RecipientState,
  reason: RecipientReason | null
): ReadonlyArray<string> => {
  const prefix = state === "Skipped" ? "s:" : state === "Pending" ? "p:" : null
  return prefix === null || reason === null ? [`r:${state}`] : [`r:${state}`, prefix + reason]
}

/** The properties of an email that determine its counters. */
export interface CountedEmail {
  readonly status: DeliveryStatus
  readonly reason: string | null
  readonly attempts: number
  readonly complainedAt: number | null
  readonly unsubscribedAt: number | null
  readonly topicOffAt: number | null
}

/**
 * The names of the counters that include an email. `adapters/postgres/migrations/0068_campaign_counters.ts` computes
 * the same in SQL.
 */
export const namesOfEmail = (email: CountedEmail): ReadonlyArray<string> => {
  const { attempts, complainedAt, reason, status, topicOffAt, unsubscribedAt } = email
  const names = [`d:${status}`]
  if (attempts === 0 && (status === "Queued" || status === "HandingOff" || status === "PendingReview")) {
    names.push("d:untried")
  }
  if (attempts > 0 && status === "Queued") names.push("d:retrying")
  if (status === "Queued" && reason !== null) names.push(`q:${reason}`)
  if (status === "Failed" && reason === "sending.mailbox_full") names.push("d:softBounced")
  if (complainedAt !== null) names.push("d:complained")
  if (unsubscribedAt !== null) names.push("d:unsubscribed")
  if (topicOffAt !== null) names.push("d:topicOff")
  return names
}

/** The names of the counters that include an email's visits: one for opens, one for clicks. */
export const namesOfVisits = (visits: DeliveryVisits): ReadonlyArray<string> => {
  const named = [`opened:${openedBy(visits)}`, `clicked:${clickedBy(visits)}`]
  return named.filter((name) => !name.endsWith(":None"))
}

/**
 * The number of emails not attempted yet that wait for a reason. `queuedBy` also has a reason for each email that
 * waits for another attempt; those are subtracted.
 */
export const untriedHeld = ({ queuedBy, retrying }: Pick<CampaignCounts, "queuedBy" | "retrying">): number =>
  Object.values(queuedBy).reduce((sum, count) => sum + count, 0) - retrying

/** The number of people in a campaign's audience. */
export const audienceOf = ({ recipients }: CampaignCounts): number =>
  recipientStates.reduce((sum, state) => sum + recipients[state], 0)

/** Whether a campaign has reached everyone: the audience is read, no one is pending, and each email was attempted. */
export const isSent = (progress: Pick<CampaignProgress, "isComplete">, counts: CampaignCounts): boolean =>
  progress.isComplete && counts.recipients.Pending === 0 && counts.untried === 0

/** The phases of a campaign that is Sending. */
export const campaignPhases = ["Preparing", "Testing", "Deciding", "Delivering", "Waiting"] as const

/**
 * The phase of a campaign that is Sending. `Testing` waits for the results of a test, `Deciding` for a person who
 * picks the winner.
 */
export type CampaignPhase = (typeof campaignPhases)[number]

/** Whether a campaign that is Sending waits for a person to pick the winner of its test. */
export const isDeciding = ({ status, test }: Pick<Campaign, "status" | "test">): boolean =>
  status === "Sending" && test?.isAsked === true

/**
 * Returns the phase of a campaign; null if it is not Sending.
 *
 * @param nextAt when the next pending recipient is due; null if there is none
 */
export const phaseOf = (
  { definition, status, test }: Pick<Campaign, "definition" | "status" | "test">,
  progress: Pick<CampaignProgress, "isComplete"> | null,
  counts: CampaignCounts,
  nextAt: number | null,
  now: number
): CampaignPhase | null => {
  if (status !== "Sending") return null
  if (progress?.isComplete !== true) return "Preparing"
  if (definition.test !== null && definition.test.share < 100 && (test?.winner ?? null) === null) {
    return isDeciding({ status, test }) ? "Deciding" : "Testing"
  }
  return counts.untried === 0 && nextAt !== null && nextAt > now ? "Waiting" : "Delivering"
}

/**
 * The current counts from which the limits of an automatic pause start to count.
 *
 * @param before the previous baseline of a campaign that continues; whether many unsubscribes were reported is kept
 */
export const baselineOf = (
  { complained, emails, recipients, skippedBy, untried }: CampaignCounts,
  before: CampaignBaseline = emptyBaseline
): CampaignBaseline => ({
  attempted: Object.values(emails).reduce((sum, count) => sum + count, 0) - untried - emails.Suppressed,
  bounced: emails.Bounced,
  delivered: emails.Delivered + emails.Accepted + emails.Sent,
  complained,
  processed: recipients.Submitted + recipients.Skipped,
  renderFailed: skippedBy["campaigns.render_failed"] ?? 0,
  ...(before.isUnsubscribingReported === true && { isUnsubscribingReported: true })
})

/** The minimum number of complaints, and of bounces or render failures, that pauses a campaign. */
const leastComplaints = 5
const leastFailures = 20

const isPassed = (failed: number, all: number, least: number, percent: number | null): boolean =>
  percent !== null && failed >= least && failed * 100 >= all * percent

/**
 * Why a campaign must be paused automatically; null if it need not be. Events before the baseline do not count.
 *
 * @param limits those of the account
 */
export const pauseReasonOf = (
  counts: CampaignCounts,
  before: CampaignBaseline,
  { bouncePercent, complaintPercent, renderFailurePercent }: CampaignLimits
): PauseReason | null => {
  const now = baselineOf(counts)
  // Baselines stored by earlier versions of the service lack some of these counts.
  const since = (name: Exclude<keyof CampaignBaseline, "isUnsubscribingReported">) =>
    now[name] - (before[name] ?? 0)
  if (isPassed(since("complained"), since("delivered"), leastComplaints, complaintPercent)) {
    return "campaigns.complaints"
  }
  if (isPassed(since("bounced"), since("attempted"), leastFailures, bouncePercent)) return "campaigns.bounces"
  if (isPassed(since("renderFailed"), since("processed"), leastFailures, renderFailurePercent)) {
    return "campaigns.render_failures"
  }
  return null
}

/**
 * Unsubscribes are reported if at least this many emails were delivered, and at least this percentage of them led to
 * one.
 */
const leastDelivered = 1_000
const unsubscribePercent = 2

/** Whether the unsubscribes of a campaign are many enough to be reported. The campaign is not paused for them. */
export const isUnsubscribedByMany = (counts: CampaignCounts): boolean => {
  const { delivered } = baselineOf(counts)
  return delivered >= leastDelivered && isPassed(counts.unsubscribed, delivered, 1, unsubscribePercent)
}

/**
 * The maximum number of a campaign's emails that wait for their first attempt. It is small so that a pause takes
 * effect soon and the gate's decisions are recent.
 */
export const maxUntried = 5_000
/** The same maximum, including emails to servers that take no mail now. */
export const mostUntried = 20_000
/** From this many queued emails on, a slow or unavailable server holds up the emails to other servers. */
const crowd = 1_000

/** Whether a campaign's queue is full, and the domains to which the campaign may not submit more for now. */
export interface QueueState {
  readonly isFull: boolean
  readonly crowded: ReadonlySet<string>
}

/**
 * Computes the state of a campaign's queue. Emails that wait for a server that takes no mail, or is behind, do not
 * use up the room of the others.
 *
 * @param byDomain the queued emails not attempted yet, by domain
 * @param isHeld whether no mail goes to a domain now
 * @param isBehind whether recipients wait for their servers
 */
export const queueState = (
  untried: number,
  byDomain: ReadonlyMap<string, number>,
  isHeld: (domain: string) => boolean,
  isBehind: boolean
): QueueState => {
  const crowds = [...byDomain].filter(([domain, count]) => count >= crowd && (isBehind || isHeld(domain)))
  const waiting = crowds.reduce((sum, [, count]) => sum + count, 0)
  const isFull = untried - waiting >= maxUntried || untried >= mostUntried
  return { isFull, crowded: new Set(crowds.map(([domain]) => domain)) }
}

/** How long a recipient waits for a server at most, milliseconds. Marketing is of no use later. */
const longestHeld = 72 * 3_600_000
/** The interval between recipients who wait for their servers, milliseconds. */
const heldApart = 2
/** When to decide again on recipients whose domain has enough queued emails, milliseconds. */
const crowdPause = 10_000

/**
 * Decides what happens to a recipient whose server takes no mail now; null if the email can be submitted.
 *
 * @param heldSince since when the recipient waits for the server, epoch milliseconds; null if not yet
 * @param wasDue when the recipient was to be decided on, epoch milliseconds. The time since then was spent on a pace
 * or a pause, and does not count as waiting for the server
 * @param sendingSince when the campaign was launched or last resumed, epoch milliseconds
 * @param waiting how many recipients wait for their servers. They become due one after the other, in the order of
 * their hash slots
 */
export const heldRecipient = (
  held: { readonly at: number; readonly reason: (typeof serverReasons)[number] } | undefined,
  isCrowded: boolean,
  {
    heldSince,
    sendingSince,
    slot,
    waiting,
    wasDue
  }: {
    readonly heldSince: number | null
    readonly sendingSince: number
    readonly slot: number
    readonly waiting: number
    readonly wasDue: number
  },
  now: number
): (Pick<RecipientDecision, "heldSince" | "reason" | "state"> & { readonly dueAt?: number }) | null => {
  if (held === undefined && !isCrowded) return null
  const since = heldSince === null ? now : Math.max(heldSince + Math.max(0, now - wasDue), sendingSince)
  if (now - since >= longestHeld)
    return { state: "Skipped", reason: "sending.held_too_long", heldSince: null }
  const spread = Math.floor((slot * waiting * heldApart) / slotCount)
  const reason = held?.reason ?? "sending.provider_held"
  const at = Math.min((held?.at ?? now + crowdPause) + spread, since + longestHeld)
  return { state: "Pending", reason, heldSince: since, dueAt: at }
}

/** Whether the status of a campaign allows its queued emails to be sent. */
export const mayLeave = (status: CampaignStatus): boolean => leavingStatuses.includes(status)

/** The number of hash slots. */
export const slotCount = 10_000

/**
 * The hash slot of a person in a campaign, from 0 to 9,999. It is the same at each call, and does not depend on when
 * the person was added.
 *
 * @param sha256Hex the lower-case hex SHA-256 of a string
 */
export const slotOf = (sha256Hex: (text: string) => string, campaignId: string, contactId: string): number =>
  Number.parseInt(sha256Hex(`${campaignId} ${contactId}`).slice(0, 12), 16) % slotCount

/**
 * The number of parts into which the hash slots of a campaign are divided, so that several nodes can work on it at
 * once. The index `campaign_recipients_part` contains this number: changing it requires another index.
 */
export const partCount = 8

/** The part to which a person belongs in a campaign, from 0. */
export const partOfRecipient = (
  sha256Hex: (text: string) => string,
  campaignId: string,
  contactId: string
): number => slotOf(sha256Hex, campaignId, contactId) % partCount

/** The facts that decide whether a campaign is divided among workers. */
export interface DivisionRules {
  /** The pace of the campaign, which counts the emails of all parts together. */
  readonly pace: CampaignPace | null
  /** How many more of the campaign's first emails will be held for review. No other email is submitted before. */
  readonly unreviewed: number
  /** Whether recipients are served strictly in the order of their due times. */
  readonly isOrdered: boolean
}

/**
 * How a campaign is divided. The parts send to all recipients who are due or, with `dueUntil` (epoch milliseconds),
 * only to those due until then.
 */
export interface Division {
  readonly dueUntil?: number
}

/** Whether a part may send if the campaign was divided with this `dueUntil`. */
export const mayPartSend = (
  { isOrdered, pace, unreviewed }: DivisionRules,
  dueUntil: number | undefined
): boolean => pace === null && unreviewed === 0 && (!isOrdered || dueUntil !== undefined)

/**
 * Decides how a campaign is divided; null if it is not.
 *
 * @param due the next batch of recipients who are due, in order; not empty
 */
export const campaignDivision = (
  rules: DivisionRules,
  due: ReadonlyArray<Pick<CampaignRecipient, "dueAt">>
): Division | null => {
  const [first, last] = [due[0]!.dueAt, due.at(-1)!.dueAt]
  const division = rules.isOrdered && first === last ? { dueUntil: last } : {}
  return mayPartSend(rules, division.dueUntil) ? division : null
}

/** Whether the person with this hash slot is held out. A larger percentage only adds people. */
export const isHeldOut = (slot: number, percent: number): boolean => slot < (percent * slotCount) / 100

/** The rules that make people wait until a time, each with the reason. */
const waitingRules = [
  ["window", "campaigns.window"],
  ["quietHours", "sending.quiet_hours"],
  ["whenCapped", "sending.gate_frequency"]
] as const

/**
 * The reasons whose rule a change of the definition affects. People who wait for these reasons are decided on again.
 */
export const releasedBy = (
  before: CampaignDefinition,
  after: CampaignDefinition
): ReadonlyArray<RecipientReason> =>
  waitingRules.flatMap(([rule, reason]) => (deepEqual(before[rule], after[rule]) ? [] : [reason]))

type Approvable = Pick<Campaign, "approval" | "createdBy" | "status" | "updatedBy">

/** The approval of a campaign; a Missing one if none is stored. */
export const approvalOf = ({ approval, createdBy, updatedBy }: Approvable): CampaignApproval =>
  approval ?? {
    state: "Missing",
    by: null,
    at: null,
    comment: null,
    digest: null,
    editor: updatedBy ?? createdBy
  }

/**
 * Whether a launch to this many people lacks an approval. An approval of other content or another audience does not
 * count.
 */
export const isApprovalMissing = (
  campaign: Approvable,
  { settings }: Pick<Account, "settings">,
  people: number,
  digest: string | null
): boolean => {
  const { above, required } = settings.campaignApproval
  const { digest: approved, state } = approvalOf(campaign)
  return required && people > above && (state !== "Approved" || approved === null || approved !== digest)
}

/**
 * Whether a resume lacks an approval of a change that was made while the campaign was paused.
 *
 * @param people the size of the audience; Infinity while it is being read
 */
export const isChangeUnapproved = (
  { approval }: Approvable,
  { settings }: Pick<Account, "settings">,
  people: number
): boolean => {
  const { above, required } = settings.campaignApproval
  const isOpen = approval !== null && approval.state !== "Approved" && approval.state !== "NotNeeded"
  return required && people > above && isOpen
}

/** Whether a second person has been asked to approve a campaign before it continues. */
export const awaitsApproval = ({ approval, status }: Pick<Campaign, "approval" | "status">): boolean =>
  approval?.state === "Requested" && (status === "Draft" || status === "Paused")

/** Whether a campaign is being sent, is paused, waits for an approval, or was sent at or after `since`. */
export const isCurrent = (
  campaign: Pick<Campaign, "approval" | "status" | "statusAt">,
  since: number
): boolean =>
  campaign.status === "Sending" ||
  campaign.status === "Paused" ||
  (campaign.status === "Sent" && campaign.statusAt >= since) ||
  awaitsApproval(campaign)

/** The state of an approval as the API shows it. */
export const shownApproval = (
  campaign: Approvable,
  { settings }: Pick<Account, "settings">
): ApprovalState => {
  const { state } = approvalOf(campaign)
  const isAsked = campaign.status === "Draft" || campaign.status === "Paused"
  return settings.campaignApproval.required && (isAsked || state === "Approved") ? state : "NotNeeded"
}
