/**
 * Tests of explanations for every state and reason of a delivery, and for how runs end.
 *
 * @module
 */
import { describe, expect, it } from "vitest"
import {
  explainDelivery,
  explainFlow,
  explainRecipient,
  explanationOf,
  type FlowFacts
} from "../../../core/explain/ExplainRules.ts"
import { fill, reasons } from "../../../core/explain/Reasons.ts"
import {
  type Campaign,
  emptyBaseline,
  emptyDefinition,
  pauseReasons,
  recipientReasons
} from "../../../core/model/Campaign.ts"
import { newContact } from "../../../core/model/Contact.ts"
import { deliveryReasons, type DeliveryReason, deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"
import type { Flow } from "../../../core/model/Flow.ts"
import { newRun, type Run } from "../../../core/model/Run.ts"
import type { Delivery, SubmissionSummary } from "../../../core/model/Submission.ts"

const now = 1_700_000_000_000
const email = "ada@example.org"

const delivery = (status: Delivery["status"], reason: DeliveryReason | null): Delivery => ({
  id: "d",
  submissionId: "s",
  accountId: "a",
  email,
  name: null,
  kind: "To",
  status,
  reason,
  attempts: 1,
  claims: 1,
  committedAt: null,
  openedAt: null,
  clickedAt: null,
  lane: null,
  provider: null,
  line: "",
  heldSince: null,
  notDue: 0,
  contentHash: null,
  complainedAt: null,
  unsubscribedAt: null,
  topicOffAt: null,
  updatedAt: now
})

const submission = (values: Partial<SubmissionSummary> = {}): SubmissionSummary => ({
  id: "s",
  accountId: "a",
  idempotencyKey: null,
  contentDigest: "",
  from: null,
  replyTo: null,
  subject: "Hello",
  headers: [],
  language: null,
  sendAt: now,
  templateId: null,
  templateVersion: null,
  flowId: null,
  runId: null,
  marketing: null,
  source: null,
  keyId: null,
  tags: {},
  metadata: {},
  trackOpens: null,
  trackClicks: null,
  isSystem: false,
  acceptedStatus: "Queued",
  acceptedReason: null,
  contentErasedAt: null,
  createdAt: now,
  deliveries: [],
  ...values
})

const nothing = { contact: null, topics: [], suppression: undefined, attempts: [] }

const flow: Flow = {
  id: "f",
  accountId: "a",
  name: "Flow",
  status: "Published",
  version: 1,
  definition: { trigger: { kind: "Event", name: "x", filter: null }, stopEvents: [], steps: [] },
  startsOn: "x",
  segmentId: null,
  tokenHash: null,
  createdAt: now,
  updatedAt: now,
  updatedBy: null
}
const event = { name: "x", occurredAt: now, properties: {} }
const run = (values: Partial<Run>): Run => ({
  ...newRun({ id: "r", accountId: "a", flowId: "f", version: 1, contactId: "c", event }, "hello", now),
  ...values
})
const facts = (values: Partial<FlowFacts>): FlowFacts => ({
  flow,
  published: flow.definition,
  run: null,
  emails: [],
  events: [],
  now,
  ...values
})
const codesOf = (values: Partial<FlowFacts>) => {
  const { because, verdict } = explainFlow(facts(values))
  return [verdict, ...because.map(({ code }) => code)]
}

describe("explainDelivery", () => {
  it("has one verdict for every state", () => {
    const verdicts = deliveryStatuses.map((status) => [
      status,
      explanationOf(explainDelivery(submission(), delivery(status, null), nothing)).verdict
    ])
    expect(Object.fromEntries(verdicts)).toEqual({
      Queued: "OnItsWay",
      Sent: "Unknown",
      Failed: "NotReceived",
      Suppressed: "NotSent",
      Delivered: "Received",
      Bounced: "NotReceived",
      HandingOff: "OnItsWay",
      Accepted: "Received",
      Unknown: "Unknown",
      PendingReview: "OnItsWay"
    })
  })

  it("knows every reason of a delivery", () => {
    for (const reason of deliveryReasons) {
      const [first] = explainDelivery(submission(), delivery("Failed", reason), nothing)
      expect(first.because.code).toBe(reason)
      expect(first.because.sentence).toBe(
        fill(reasons[reason].sentence, { until: "2023-11-14T22:13:20.000Z" })
      )
    }
  })

  it("says what of consent or topic is missing now", () => {
    const gated = submission({ marketing: { contactId: "c", topicId: "t" } })
    const topic = {
      id: "t",
      accountId: "a",
      key: "news",
      name: "News",
      description: null,
      defaultOn: false,
      isArchived: false,
      createdAt: now
    }
    const codes = (consentStatus: "Subscribed" | "Unsubscribed", address = email) =>
      explainDelivery(gated, delivery("Suppressed", "sending.gate_consent"), {
        ...nothing,
        topics: [topic],
        contact: { ...newContact("c", address, now), consentStatus }
      }).map(({ because }) => because.code)
    expect(codes("Unsubscribed")).toEqual(["sending.gate_consent", "explain.consent_missing"])
    expect(codes("Subscribed")).toEqual(["sending.gate_consent", "explain.topic_off"])
    expect(codes("Subscribed", "new@example.org")).toEqual(["sending.gate_consent", "explain.address_left"])
  })

  it("quotes the server's last reply, or why there was none", () => {
    const attempt = {
      accountId: "a",
      deliveryId: "d",
      claim: 1,
      startedAt: now,
      finishedAt: now + 1,
      outcome: "Deferred" as const,
      host: null,
      source: null,
      tls: null,
      replies: ["250 ok", "451 4.7.1 later"],
      error: null
    }
    const sentence = (one: typeof attempt | (Omit<typeof attempt, "error"> & { error: string })) =>
      explainDelivery(submission(), delivery("Queued", "sending.retrying"), {
        ...nothing,
        attempts: [one]
      })[0].because
    expect(sentence(attempt)).toMatchObject({
      at: now + 1,
      sentence: expect.stringMatching(/451 4\.7\.1 later$/)
    })
    expect(sentence({ ...attempt, replies: [], error: "timeout" }).sentence).toMatch(/timeout\.$/)
  })
})

describe("explainFlow", () => {
  it("explains every end of a run without an email", () => {
    const ended = { endedAt: now, dueAt: null }
    expect(codesOf({ run: run({}) })).toEqual(["OnItsWay", "explain.queued"])
    expect(codesOf({ run: run({ ...ended, status: "Stopped", reason: "event: y" }) })).toEqual([
      "NotSent",
      "explain.stopped_by_event"
    ])
    expect(codesOf({ run: run({ ...ended, status: "Stopped", reason: "contact_erased" }) })).toEqual([
      "NotSent",
      "explain.run_stopped"
    ])
    expect(codesOf({ run: run({ ...ended, status: "Failed", reason: "internal" }) })).toEqual([
      "NotSent",
      "explain.run_failed"
    ])
    expect(codesOf({ run: run({ ...ended, status: "Completed" }) })).toEqual([
      "NotSent",
      "explain.no_email_on_path"
    ])
  })

  it("puts what ended a run before the emails that this cancelled", () => {
    const emails = [explainDelivery(submission(), delivery("Failed", "sending.cancelled"), nothing)]
    const stopped = run({ status: "Stopped", reason: "event: y", endedAt: now })
    expect(codesOf({ run: stopped, emails })).toEqual([
      "NotSent",
      "explain.stopped_by_event",
      "sending.cancelled"
    ])
  })

  it("names the code of a step that could not make its email", () => {
    const failed = run({
      status: "Completed",
      endedAt: now,
      log: [{ stepId: "hello", at: now, outcome: "failed: sending.template_render_failed" }]
    })
    const { because } = explainFlow(facts({ run: failed }))
    expect(because[0]).toMatchObject({
      code: "sending.template_render_failed",
      sentence: expect.stringContaining("hello")
    })
  })

  it("admits not to know where a matching event has no run", () => {
    const events = [{ id: "e", contactId: "c", name: "x", occurredAt: now, properties: {}, source: "Api" }]
    expect(codesOf({ events })).toEqual(["Unknown", "explain.not_started"])
  })
})

describe("explainRecipient", () => {
  const editor = { kind: "User", id: "u", name: null } as const
  const campaign = (values: Partial<Campaign> = {}): Campaign => ({
    id: "c",
    accountId: "a",
    name: "Spring",
    status: "Sending",
    statusReason: null,
    statusAt: now,
    definition: emptyDefinition,
    version: 1,
    startAt: now,
    launchedAt: now,
    baseline: emptyBaseline,
    test: null,
    approval: null,
    createdBy: editor,
    createdAt: now,
    updatedAt: now,
    updatedBy: editor,
    ...values
  })
  const recipient = {
    accountId: "a",
    campaignId: "c",
    contactId: "p",
    state: "Pending",
    reason: null,
    variant: null,
    dueAt: now,
    movedAt: null,
    version: null,
    deliveryId: null,
    decidedAt: null,
    renderError: null
  } as const

  it("has words for every reason of a recipient, which wait or are final", () => {
    for (const reason of recipientReasons) {
      const skipped = explainRecipient(campaign(), { ...recipient, state: "Skipped", reason }, true)
      expect(skipped.because.code).toBe(reason)
      expect(skipped.because.sentence).not.toContain("{")
      expect(explainRecipient(campaign(), { ...recipient, reason }, true).verdict).toBe("OnItsWay")
    }
  })

  it("says that the campaign is paused, and why, or cancelled", () => {
    for (const statusReason of pauseReasons) {
      const paused = explainRecipient(campaign({ status: "Paused", statusReason }), recipient, true)
      expect([paused.because.code, paused.verdict]).toEqual(["explain.campaign_paused", "OnItsWay"])
      expect(paused.because.sentence).not.toMatch(/undefined|: \.$/)
    }
    const cancelled = campaign({ status: "Cancelled" })
    expect(explainRecipient(cancelled, recipient, true).because.code).toBe("explain.campaign_cancelled")
    expect(explainRecipient(cancelled, null, false).because.code).toBe("explain.campaign_cancelled")
    expect(explainRecipient(cancelled, null, true).because.code).toBe("explain.not_selected")
  })
})
