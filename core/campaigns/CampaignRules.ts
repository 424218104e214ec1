/**
 * The states of a campaign and the only transitions between them, its phase, and when it is paused by itself
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

/** What a person does with a campaign. */
export type CampaignAction = "launch" | "unschedule" | "pause" | "resume" | "cancel"

/**
 * What an action does to a campaign: the statuses it starts from, and those in which its result already holds, so that a
 * repeated call changes nothing.
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

/** What an action means for a campaign: it is made, it holds already, or the status does not allow it. */
export type ActionDecision = "Make" | "Holds" | "Conflict"

/**
 * Decides an action.
 *
 * @param retrying how many emails of the campaign wait for another attempt: a campaign that is Sent can be cancelled while some do
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

/** The fields that can be changed while a campaign is paused: for those who have not got it yet. */
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

/** Whether a field of a campaign can be changed. */
export const isEditable = (status: CampaignStatus, field: string): boolean =>
  status === "Draft" || (status === "Paused" && editableWhilePaused.has(field)) || isAlwaysEditable(field)

/** A test without what its variants send: all of it that cannot be changed once people are divided among them. */
const divisionOf = (test: CampaignTest | null) =>
  test && { ...test, variants: test.variants.map(({ id }) => id) }

/** Whether a test that is running stays one of the same variants, decided in the same way. */
export const isSameDivision = (before: CampaignTest | null, after: CampaignTest | null): boolean =>
  deepEqual(divisionOf(before), divisionOf(after))

/** What can be changed in every status: it changes no email. */
const alwaysEditable: ReadonlySet<string> = new Set(["name", "tags", "archive", "isArchived"])

/** Whether a field can be changed in every status. */
export const isAlwaysEditable = (field: string): boolean => alwaysEditable.has(field)

/** The counts of a campaign: its recipients by state and reason, their emails by status. */
export interface CampaignCounts {
  readonly recipients: Readonly<Record<RecipientState, number>>
  /** Those who were skipped, by reason; without those of no one. */
  readonly skippedBy: Readonly<Partial<Record<RecipientReason, number>>>
  /** Those who are Pending for a reason, by it; without those of no one. */
  readonly pendingBy: Readonly<Partial<Record<RecipientReason, number>>>
  readonly emails: Readonly<Record<DeliveryStatus, number>>
  /** Emails that were not attempted yet and may be. */
  readonly untried: number
  /** Emails that wait for another attempt. */
  readonly retrying: number
  /** Queued emails that wait for a reason, by it; without those of none. */
  readonly queuedBy: Readonly<Partial<Record<DeliveryReason, number>>>
  /** Emails that failed since the mailbox was full. */
  readonly softBounced: number
  /** Emails that were opened, and those with a link that was clicked, each by the verdict that speaks most for a person. */
  readonly opened: Readonly<Record<VisitVerdict, number>>
  readonly clicked: Readonly<Record<VisitVerdict, number>>
  /** Emails whose recipient complained, and those by whose link the recipient unsubscribed, or turned a topic off. */
  readonly complained: number
  readonly unsubscribed: number
  readonly topicOff: number
}

/**
 * The counts of stored names: `r:` and a state, `s:` and `p:` and the reason of one who is skipped or pending, `d:` and a status
 * or what else is counted of emails, `q:` and the reason of one that is queued, `opened:` and `clicked:` and a verdict.
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

/** The names under which a recipient is counted. */
export const namesOfRecipient = (
  state: RecipientState,
  reason: RecipientReason | null
): ReadonlyArray<string> => {
  const prefix = state === "Skipped" ? "s:" : state === "Pending" ? "p:" : null
  return prefix === null || reason === null ? [`r:${state}`] : [`r:${state}`, prefix + reason]
}

/** What is counted of an email. */
export interface CountedEmail {
  readonly status: DeliveryStatus
  readonly reason: string | null
  readonly attempts: number
  readonly complainedAt: number | null
  readonly unsubscribedAt: number | null
  readonly topicOffAt: number | null
}

/** The names under which an email is counted. `adapters/postgres/migrations/0068_campaign_counters.ts` has the same in SQL. */
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

/** The names under which the visits of an email are counted: one for opens, one for clicks. */
export const namesOfVisits = (visits: DeliveryVisits): ReadonlyArray<string> => {
  const named = [`opened:${openedBy(visits)}`, `clicked:${clickedBy(visits)}`]
  return named.filter((name) => !name.endsWith(":None"))
}

/** How many emails were not attempted yet and wait for a reason: each of those that wait for another attempt has one as well. */
export const untriedHeld = ({ queuedBy, retrying }: Pick<CampaignCounts, "queuedBy" | "retrying">): number =>
  Object.values(queuedBy).reduce((sum, count) => sum + count, 0) - retrying

/** How many people a campaign is for. */
export const audienceOf = ({ recipients }: CampaignCounts): number =>
  recipientStates.reduce((sum, state) => sum + recipients[state], 0)

/** Whether a campaign has reached everyone: its audience is read, no one is pending, and each email was attempted. */
export const isSent = (progress: Pick<CampaignProgress, "isComplete">, counts: CampaignCounts): boolean =>
  progress.isComplete && counts.recipients.Pending === 0 && counts.untried === 0

/** What a campaign that is Sending does. */
export const campaignPhases = ["Preparing", "Testing", "Deciding", "Delivering", "Waiting"] as const

/** What a campaign that is Sending does: `Testing` waits for the results of a test, `Deciding` for a person who picks its winner. */
export type CampaignPhase = (typeof campaignPhases)[number]

/** Whether a person is to pick the winner of the test of a campaign that is Sending. */
export const isDeciding = ({ status, test }: Pick<Campaign, "status" | "test">): boolean =>
  status === "Sending" && test?.isAsked === true

/**
 * The phase of a campaign; null where it is not Sending.
 *
 * @param nextAt when the next of those who are pending is due; null where none is
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
 * What the limits of an automatic pause count, so far.
 *
 * @param before of a campaign that goes on: what was reported stays so
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

/** At least this many pause a campaign. */
const leastComplaints = 5
const leastFailures = 20

const isPassed = (failed: number, all: number, least: number, percent: number | null): boolean =>
  percent !== null && failed >= least && failed * 100 >= all * percent

/**
 * Why a campaign is to be paused by itself; null where it is not. What happened before the baseline does not count.
 *
 * @param limits those of the account
 */
export const pauseReasonOf = (
  counts: CampaignCounts,
  before: CampaignBaseline,
  { bouncePercent, complaintPercent, renderFailurePercent }: CampaignLimits
): PauseReason | null => {
  const now = baselineOf(counts)
  // Versions before these were counted have none.
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

/** Of at least so many delivered emails, the percentage by which people unsubscribed is reported from this on. */
const leastDelivered = 1_000
const unsubscribePercent = 2

/** Whether so many people unsubscribed by a campaign that it is reported. It is not paused for that. */
export const isUnsubscribedByMany = (counts: CampaignCounts): boolean => {
  const { delivered } = baselineOf(counts)
  return delivered >= leastDelivered && isPassed(counts.unsubscribed, delivered, 1, unsubscribePercent)
}

/** The most emails of a campaign that wait for their first attempt: so few that a pause is short, and the gate's decision fresh. */
export const maxUntried = 5_000
/** The most of them with those whose servers take none. */
export const mostUntried = 20_000
/** From so many on a server that is slow holds up the others. */
const crowd = 1_000

/** Whether a campaign may submit no more emails for now, and the domains to which it may not. */
export interface QueueState {
  readonly isFull: boolean
  readonly crowded: ReadonlySet<string>
}

/**
 * The state of a campaign's queue. What waits for a server that takes no mail, or has not caught up with it yet, leaves room for the
 * others.
 *
 * @param byDomain those untried that are queued, by domain
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

/** How long a recipient waits at most for a server, milliseconds: marketing is of no use later. */
const longestHeld = 72 * 3_600_000
/** How far apart recipients are who wait for their servers, milliseconds. */
const heldApart = 2
/** When recipients are decided again whose domain has enough queued, milliseconds. */
const crowdPause = 10_000

/**
 * What becomes of a recipient to whose server no mail goes now; null where it is submitted.
 *
 * @param heldSince since when the recipient waits for it, epoch milliseconds; null for not yet
 * @param wasDue when it was to be decided on, epoch milliseconds: what it has waited for since, a pace or a resumption, is not the server
 * @param sendingSince when the campaign was launched or last resumed, epoch milliseconds
 * @param waiting how many recipients wait for their servers: they come back one after the other, by their hash slot
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

/** Whether queued emails of a campaign may leave now. */
export const mayLeave = (status: CampaignStatus): boolean => leavingStatuses.includes(status)

/** The number of hash slots. */
export const slotCount = 10_000

/**
 * The hash slot of a person in a campaign, from 0 to 9,999: the same at each call, and independent of when the person was added.
 *
 * @param sha256Hex the lower-case hex SHA-256 of a string
 */
export const slotOf = (sha256Hex: (text: string) => string, campaignId: string, contactId: string): number =>
  Number.parseInt(sha256Hex(`${campaignId} ${contactId}`).slice(0, 12), 16) % slotCount

/**
 * How many parts the hash slots of a campaign are divided into, so that several nodes work on it at once. The index
 * `campaign_recipients_part` has them: another number takes another index.
 */
export const partCount = 8

/** The part of a person in a campaign, from 0. */
export const partOfRecipient = (
  sha256Hex: (text: string) => string,
  campaignId: string,
  contactId: string
): number => slotOf(sha256Hex, campaignId, contactId) % partCount

/** What decides whether a campaign is divided among workers. */
export interface DivisionRules {
  /** It counts the emails of all parts. */
  readonly pace: CampaignPace | null
  /** How many more of its first emails are held for review: no other is submitted before. */
  readonly unreviewed: number
  /** Whether those due at one time come before those due at the next. */
  readonly isOrdered: boolean
}

/** How a campaign is divided: parts send to all who are due, or only to those due until a time, epoch milliseconds. */
export interface Division {
  readonly dueUntil?: number
}

/** Whether a part of a campaign may send, which was divided as `dueUntil` says. */
export const mayPartSend = (
  { isOrdered, pace, unreviewed }: DivisionRules,
  dueUntil: number | undefined
): boolean => pace === null && unreviewed === 0 && (!isOrdered || dueUntil !== undefined)

/**
 * How a campaign is divided; null where it is not.
 *
 * @param due the next batch of those who are due, in order; not empty
 */
export const campaignDivision = (
  rules: DivisionRules,
  due: ReadonlyArray<Pick<CampaignRecipient, "dueAt">>
): Division | null => {
  const [first, last] = [due[0]!.dueAt, due.at(-1)!.dueAt]
  const division = rules.isOrdered && first === last ? { dueUntil: last } : {}
  return mayPartSend(rules, division.dueUntil) ? division : null
}

/** Whether a slot is among those who do not get the campaign. A larger percentage only adds people. */
export const isHeldOut = (slot: number, percent: number): boolean => slot < (percent * slotCount) / 100

/** Rules by which people wait for a time, each with the reason. */
const waitingRules = [
  ["window", "campaigns.window"],
  ["quietHours", "sending.quiet_hours"],
  ["whenCapped", "sending.gate_frequency"]
] as const

/** For which reasons people may wait in vain once the definition of a campaign was changed: they are decided on again. */
export const releasedBy = (
  before: CampaignDefinition,
  after: CampaignDefinition
): ReadonlyArray<RecipientReason> =>
  waitingRules.flatMap(([rule, reason]) => (deepEqual(before[rule], after[rule]) ? [] : [reason]))

type Approvable = Pick<Campaign, "approval" | "createdBy" | "status" | "updatedBy">

/** The approval of a campaign, of one that has none written down as well. */
export const approvalOf = ({ approval, createdBy, updatedBy }: Approvable): CampaignApproval =>
  approval ?? {
    state: "Missing",
    by: null,
    at: null,
    comment: null,
    digest: null,
    editor: updatedBy ?? createdBy
  }

/** Whether an approval is missing for a launch to so many people: one of another content or audience is none. */
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
 * Whether an approval is missing to resume: of a change that was made while the campaign was paused.
 *
 * @param people those of its audience; Infinity while it is read
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

/** Whether a second person is asked to approve a campaign before it goes on. */
export const awaitsApproval = ({ approval, status }: Pick<Campaign, "approval" | "status">): boolean =>
  approval?.state === "Requested" && (status === "Draft" || status === "Paused")

/** Whether a campaign is sent, is paused or waits for an approval, or was sent at some time or later. */
export const isCurrent = (
  campaign: Pick<Campaign, "approval" | "status" | "statusAt">,
  since: number
): boolean =>
  campaign.status === "Sending" ||
  campaign.status === "Paused" ||
  (campaign.status === "Sent" && campaign.statusAt >= since) ||
  awaitsApproval(campaign)

/** The state of an approval as it is shown. */
export const shownApproval = (
  campaign: Approvable,
  { settings }: Pick<Account, "settings">
): ApprovalState => {
  const { state } = approvalOf(campaign)
  const isAsked = campaign.status === "Draft" || campaign.status === "Paused"
  return settings.campaignApproval.required && (isAsked || state === "Approved") ? state : "NotNeeded"
}
