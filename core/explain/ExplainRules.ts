/**
 * Decides, purely and from the stored data of the email, the run and the person, why a person did or did not get an email.
 *
 * @module
 */
import { filterTest } from "../automation/definition/FlowFilter.ts"
import type { Campaign, CampaignRecipient, PauseReason } from "../model/Campaign.ts"
import type { Contact } from "../model/Contact.ts"
import type { Flow } from "../model/Flow.ts"
import type { FilterRule, FlowDefinition } from "../model/FlowDefinition.ts"
import type { Attempt } from "../model/Message.ts"
import type { Run } from "../model/Run.ts"
import type { Delivery, SubmissionSummary } from "../model/Submission.ts"
import type { Suppression } from "../model/Suppression.ts"
import { hasTopic, type Topic } from "../model/Topic.ts"
import { isMailable } from "../model/Consent.ts"
import type { TimelineEntry } from "../ports/TimelineStore.ts"
import { contactAt } from "../sending/gate/GateRules.ts"
import { catalogue } from "../shared/Problem.ts"
import { formatDateTime } from "../shared/Validate.ts"
import { fill, isReason, type ReasonCode, reasons, type Outcome } from "./Reasons.ts"

/** The record on which a reason is based. */
export interface Evidence {
  readonly kind: "Email" | "Run" | "Flow" | "Campaign" | "Event" | "Contact" | "Suppression"
  /** The id of the record; for a suppression, the address. */
  readonly id: string
}

/** A reason in an explanation. */
export interface Because {
  readonly code: string
  readonly sentence: string
  /** Epoch milliseconds; null if no time is known. */
  readonly at: number | null
  /** Null if no record remains. */
  readonly evidence: Evidence | null
}

/** A call of the management API. */
export interface Action {
  readonly method: "DELETE" | "POST"
  /** The path, relative to the base URL. */
  readonly path: string
}

/** What to do next. */
export interface Next {
  readonly sentence: string
  readonly action?: Action
}

/** Why a person did or did not get an email. */
export interface Explanation {
  readonly verdict: Outcome
  /** Never empty; the deciding reason comes first. */
  readonly because: ReadonlyArray<Because>
  readonly next: ReadonlyArray<Next>
}

/** A reason with its verdict and what to do about it. */
export interface Finding {
  readonly verdict: Outcome
  readonly because: Because
  readonly next: ReadonlyArray<Next>
}

const finding = (
  code: ReasonCode,
  {
    action,
    at,
    detail = "",
    evidence,
    values = {}
  }: {
    readonly at: number | null
    readonly evidence: Evidence | null
    readonly values?: Readonly<Record<string, string>>
    /** A text that is appended to the sentence. */
    readonly detail?: string
    readonly action?: Action | undefined
  }
): Finding => {
  const { next, sentence, verdict } = reasons[code]
  return {
    verdict,
    because: { code, sentence: fill(sentence, values) + detail, at, evidence },
    next: next === null ? [] : [{ sentence: fill(next, values), ...(action === undefined ? {} : { action }) }]
  }
}

/** The explanation made of findings, the first of which decides. */
export const explanationOf = ([first, ...others]: readonly [
  Finding,
  ...ReadonlyArray<Finding>
]): Explanation => ({
  verdict: first.verdict,
  because: [first, ...others].map(({ because }) => because),
  next: [first, ...others].flatMap(({ next }) => next)
})

/** The finding that a person was erased. `at` is null if only the hash of the address remains. */
export const erasedFinding = (at: number | null): Finding => finding("explain.erased", { at, evidence: null })

/** What is stored about a recipient besides the delivery. */
export interface RecipientFacts {
  readonly contact: Contact | null
  /** All topics of the account. */
  readonly topics: ReadonlyArray<Topic>
  readonly suppression: Suppression | undefined
  /** The attempts of the delivery, oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** The path of a management route of an account, relative to the base URL. */
const routeOf = (accountId: string, path: string): string => `/manage/v1/accounts/${accountId}${path}`

const statusCodes = {
  Delivered: "explain.delivered",
  Accepted: "explain.accepted",
  Sent: "explain.relayed",
  Bounced: "explain.bounced",
  Failed: "explain.failed",
  Suppressed: "explain.suppressed",
  Queued: "explain.queued",
  HandingOff: "explain.handing_off",
  Unknown: "sending.outcome_unknown",
  PendingReview: "sending.in_review"
} as const satisfies Readonly<Record<Delivery["status"], ReasonCode>>

/** The code that explains a delivery: its reason, if the state has one, otherwise the code of its state. */
const codeOf = ({ reason, status }: Delivery): ReasonCode =>
  status === "Failed" || status === "Suppressed" || status === "Queued"
    ? (reason ?? statusCodes[status])
    : statusCodes[status]

/** The last reply of the recipient's server, or why there was no conversation. */
const responseOf = (attempts: ReadonlyArray<Attempt>): string => {
  const last = attempts.at(-1)
  if (last === undefined) return ""
  const reply = last.replies.at(-1)
  if (reply !== undefined) return ` The server replied: ${reply}`
  return last.error === null ? "" : ` There was no reply: ${last.error}.`
}

const resendable: ReadonlySet<string> = new Set<ReasonCode>([
  "explain.failed",
  "sending.refused",
  "sending.mailbox_full",
  "sending.retries_exhausted",
  "sending.cancelled"
])

/** The call, if any, that can change the situation of a delivery. */
const actionOf = (
  code: ReasonCode,
  { accountId, id }: SubmissionSummary,
  suppression: Suppression | undefined
): Action | undefined => {
  if (resendable.has(code)) return { method: "POST", path: routeOf(accountId, `/emails/${id}/resend`) }
  if (code === "sending.in_review") {
    return { method: "POST", path: routeOf(accountId, `/emails/${id}/release`) }
  }
  const isLiftable = code === "sending.gate_bounced" || code === "sending.gate_protected"
  return isLiftable && suppression !== undefined
    ? {
        method: "DELETE",
        path: routeOf(accountId, `/suppressions/${encodeURIComponent(suppression.email)}`)
      }
    : undefined
}

const withResponse: ReadonlySet<string> = new Set<Delivery["status"]>([
  "Bounced",
  "Failed",
  "Queued",
  "Delivered"
])

/** Why a marketing email was not sent to a contact whose consent, topic or address does not allow it; by their current state. */
const consentFindings = (
  { marketing }: SubmissionSummary,
  { email }: Delivery,
  { contact, topics }: RecipientFacts
): ReadonlyArray<Finding> => {
  if (contact === null || marketing === null) return []
  const evidence: Evidence = { kind: "Contact", id: contact.id }
  if (!isMailable(contact.consentStatus)) {
    const values = { status: contact.consentStatus }
    return [finding("explain.consent_missing", { at: contact.consentUpdatedAt, evidence, values })]
  }
  if (contactAt(contact, email) === undefined) {
    return [finding("explain.address_left", { at: null, evidence })]
  }
  const topic = topics.find(({ id }) => id === marketing.topicId)
  return topic !== undefined && !hasTopic(topic, contact.topics)
    ? [finding("explain.topic_off", { at: null, evidence })]
    : []
}

/** Why a recipient did or did not get an email; the deciding finding comes first. */
export const explainDelivery = (
  submission: SubmissionSummary,
  delivery: Delivery,
  facts: RecipientFacts
): readonly [Finding, ...ReadonlyArray<Finding>] => {
  const code = codeOf(delivery)
  const { attempts, suppression } = facts
  const last = attempts.at(-1)
  const first = finding(code, {
    at: last !== undefined && delivery.status !== "Suppressed" ? last.finishedAt : delivery.updatedAt,
    evidence: { kind: "Email", id: submission.id },
    values: { until: submission.sendAt === null ? "" : formatDateTime(submission.sendAt) },
    detail: withResponse.has(delivery.status) ? responseOf(attempts) : "",
    action: actionOf(code, submission, suppression)
  })
  return [first, ...(code === "sending.gate_consent" ? consentFindings(submission, delivery, facts) : [])]
}

/** The finding that a person is not a recipient of an email. */
export const notRecipient = ({ createdAt, deliveries, id }: SubmissionSummary): Finding => {
  const evidence: Evidence = { kind: "Email", id }
  const isExpired = deliveries.some(({ email }) => email === "")
  return finding(isExpired ? "explain.expired" : "explain.not_in_audience", { at: createdAt, evidence })
}

/** Why a campaign is paused, in words. */
const pausedBecause: Readonly<Record<PauseReason, string>> = {
  "campaigns.paused_by_operator": "a person paused it",
  "campaigns.check_failed": "a check did not pass when its time came",
  "campaigns.complaints": "too many people complained",
  "campaigns.bounces": "too many addresses bounced",
  "campaigns.render_failures": "its content did not render for too many people",
  "campaigns.sender_failing": "its sender is no longer on a verified domain",
  "campaigns.standing": "the account's marketing is held by its standing"
}

/**
 * Why a person did or did not get a campaign that sent them no email. `recipient` is null if the person is no recipient of it.
 */
export const explainRecipient = (
  { id, status, statusAt, statusReason }: Campaign,
  recipient: CampaignRecipient | null,
  isRead: boolean
): Finding => {
  const evidence: Evidence = { kind: "Campaign", id }
  if (status === "Cancelled" && (recipient === null ? !isRead : recipient.state === "Pending")) {
    return finding("explain.campaign_cancelled", { at: statusAt, evidence })
  }
  if (recipient?.state === "Pending" && status === "Paused" && statusReason !== null) {
    const values = { detail: pausedBecause[statusReason] }
    return finding("explain.campaign_paused", { at: statusAt, evidence, values })
  }
  if (recipient === null) {
    return isRead
      ? finding("explain.not_selected", { at: null, evidence })
      : finding("explain.campaign_not_started", {
          at: null,
          evidence,
          values: { status: status.toLowerCase() }
        })
  }
  const { decidedAt, dueAt, reason, state } = recipient
  const values = { until: formatDateTime(dueAt) }
  const code = reason ?? "explain.campaign_pending"
  const found = finding(code, { at: decidedAt, evidence, values })
  // The same reason can hold a person temporarily or permanently.
  return state === "Pending" ? { ...found, verdict: "OnItsWay" } : found
}

/** The stored data about a person and a flow. */
export interface FlowFacts {
  readonly flow: Flow
  /** The definition published last; null before the first. */
  readonly published: FlowDefinition | null
  /** The newest run; null if there is none. */
  readonly run: Run | null
  /** The findings about each email that the run sent, newest first. */
  readonly emails: ReadonlyArray<readonly [Finding, ...ReadonlyArray<Finding>]>
  /** The person's events with the name that starts the flow, newest first. */
  readonly events: ReadonlyArray<TimelineEntry>
  /** Epoch milliseconds. */
  readonly now: number
}

const ruleText = ({ fieldKey, operator, value }: FilterRule): string =>
  `${fieldKey} ${operator}${value === null ? "" : ` ${JSON.stringify(value)}`}`

/** The first rule in a trigger's filter that an event does not match; null if the filter matches. */
const unmatchedRule = (
  { trigger }: FlowDefinition,
  { properties }: TimelineEntry,
  now: number
): FilterRule | null => {
  if (trigger.kind !== "Event" || trigger.filter === null) return null
  const facts = { properties, contact: null, topics: [], now }
  if (filterTest(trigger.filter)(facts)) return null
  return (
    trigger.filter.rules.find((rule) => !filterTest({ join: "All", rules: [rule] })(facts)) ??
    trigger.filter.rules[0]!
  )
}

/** Why a flow started no run for a person who has none. */
const explainNoRun = ({ events, flow, now, published }: FlowFacts): Finding => {
  const evidence: Evidence = { kind: "Flow", id: flow.id }
  if (flow.status !== "Published" || published === null) {
    const canPublish = flow.status === "Draft" || flow.status === "Paused"
    return finding("explain.flow_not_published", {
      at: null,
      evidence,
      values: { status: flow.status.toLowerCase() },
      action: canPublish
        ? { method: "POST", path: routeOf(flow.accountId, `/flows/${flow.id}/publish`) }
        : undefined
    })
  }
  const { trigger } = published
  if (trigger.kind === "Api") return finding("explain.not_called", { at: null, evidence })
  if (trigger.kind === "Segment") {
    const values = { moved: trigger.on === "Enter" ? "entered" : "left" }
    return finding("explain.not_in_segment", { at: null, evidence, values })
  }
  const values = { event: trigger.name }
  const [event] = events
  if (event === undefined) return finding("explain.event_not_recorded", { at: null, evidence, values })
  const rule = unmatchedRule(published, event, now)
  const of = { at: event.occurredAt, evidence: { kind: "Event", id: event.id } as const }
  return rule === null
    ? finding("explain.not_started", { ...of, values })
    : finding("explain.filter_not_matched", { ...of, values: { ...values, rule: ruleText(rule) } })
}

/** The findings about emails that a run skipped, newest first. */
const skippedEmails = ({ id, log }: Run): ReadonlyArray<Finding> =>
  log.toReversed().flatMap(({ at, outcome, stepId }) => {
    const [, kind, code = ""] = /^(skipped|failed): (.+)$/s.exec(outcome) ?? []
    if (kind === undefined) return []
    const evidence: Evidence = { kind: "Run", id }
    if (isReason(code)) return [finding(code, { at, evidence })]
    const entry = Object.hasOwn(catalogue, code) ? catalogue[code as keyof typeof catalogue] : null
    const values = { step: stepId, detail: entry?.message ?? code }
    const failed = finding("explain.step_failed", { at, evidence, values })
    return [{ ...failed, because: { ...failed.because, code } }]
  })

/** What a run is doing, or how it ended. */
const stateOfRun = ({ dueAt, endedAt, id, isWaiting, reason, status, stepId }: Run): Finding => {
  const evidence: Evidence = { kind: "Run", id }
  if (status === "Active") {
    if (!isWaiting || stepId === null || dueAt === null) {
      return finding("explain.queued", { at: null, evidence })
    }
    const values = { step: stepId, until: formatDateTime(dueAt) }
    return finding("explain.waiting_in_flow", { at: dueAt, evidence, values })
  }
  const at = endedAt
  const [, event] = /^event: (.+)$/s.exec(reason ?? "") ?? []
  if (event !== undefined) return finding("explain.stopped_by_event", { at, evidence, values: { event } })
  const values = { detail: reason ?? "" }
  if (status === "Stopped") return finding("explain.run_stopped", { at, evidence, values })
  if (status === "Failed") return finding("explain.run_failed", { at, evidence, values })
  return finding("explain.no_email_on_path", { at, evidence })
}

/** The events that arrived while the person was in the run, and therefore started nothing. */
const eventsInRun = (run: Run, { events, now, published }: FlowFacts): ReadonlyArray<Finding> =>
  events
    .filter(
      (event) =>
        event.occurredAt > run.event.occurredAt &&
        event.occurredAt <= (run.endedAt ?? now) &&
        published !== null &&
        unmatchedRule(published, event, now) === null
    )
    .slice(0, 1)
    .map(({ id, name, occurredAt }) =>
      finding("explain.already_in_run", {
        at: occurredAt,
        evidence: { kind: "Event", id },
        values: { event: name }
      })
    )

/** Why a person did or did not get the emails of a flow. What decides about the newest email comes first. */
export const explainFlow = (facts: FlowFacts): Explanation => {
  const { emails, run } = facts
  if (run === null) return explanationOf([explainNoRun(facts)])
  const skipped = skippedEmails(run)
  const state = stateOfRun(run)
  const inRun = eventsInRun(run, facts)
  const isCancelled = emails[0]?.[0].because.code === "sending.cancelled"
  // If the end of the run cancelled an email, the cause is what ended the run.
  if (isCancelled && run.status === "Stopped") {
    return explanationOf([state, ...emails.flat(), ...skipped, ...inRun])
  }
  const [first, ...others] = [...emails, ...skipped.map((one) => [one] as const)]
    .toSorted(([a], [b]) => (b.because.at ?? 0) - (a.because.at ?? 0))
    .flat()
  if (first === undefined) return explanationOf([state, ...inRun])
  const isOver = run.status === "Completed"
  return explanationOf([first, ...others, ...(isOver ? [] : [state]), ...inRun])
}
