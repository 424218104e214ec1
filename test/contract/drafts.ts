/**
 * Draft records for the contract suites to write.
 *
 * @module
 */
import type { PendingEvent } from "../../core/model/Event.ts"
import { newRun, type Run } from "../../core/model/Run.ts"
import type { Order } from "../../core/model/Order.ts"
import type { NewJob } from "../../core/ports/JobQueue.ts"
import type { DeliveryMove, DeliveryRef, GatedClaim } from "../../core/ports/SubmissionStore.ts"
import type { DkimKey, SendingDomain } from "../../core/model/Domain.ts"
import type { DeliveryStatus } from "../../core/model/DeliveryStatus.ts"
import type { Attachment, Delivery, Submission } from "../../core/model/Submission.ts"
import { newEmail, newId, now, oddText, unique } from "./fixtures.ts"

/** A new delivery. */
export const draftDelivery = (
  accountId: string,
  submissionId: string,
  values: Partial<Delivery> = {}
): Delivery => ({
  id: submissionId,
  submissionId,
  accountId,
  email: newEmail(),
  name: null,
  kind: "To",
  status: "Queued",
  reason: null,
  attempts: 0,
  claims: 0,
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
  updatedAt: now,
  ...values
})

/** A submission of one recipient, whose delivery has its id. */
export const draftSubmission = (
  accountId: string,
  values: Partial<Submission> = {},
  delivery: Partial<Delivery> = {}
): Submission => {
  const id = values.id ?? newId()
  return {
    id,
    accountId,
    idempotencyKey: null,
    contentDigest: "",
    from: null,
    replyTo: null,
    subject: "Hello",
    html: "<p>Hello</p>",
    text: null,
    headers: [],
    language: null,
    attachments: [],
    sendAt: null,
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
    deliveries: [draftDelivery(accountId, id, delivery)],
    ...values
  }
}

/** A submission to many recipients, whose deliveries have their own ids. */
export const draftToMany = (
  accountId: string,
  recipients: ReadonlyArray<Partial<Delivery>>,
  values: Partial<Submission> = {}
): Submission => {
  const submission = draftSubmission(accountId, values)
  return {
    ...submission,
    deliveries: recipients.map((one) => draftDelivery(accountId, submission.id, { id: newId(), ...one }))
  }
}

/** A file with every kind of byte. */
export const draftAttachment = (values: Partial<Attachment> = {}): Attachment => ({
  filename: "Rechnung für Zoë.pdf",
  contentType: "application/pdf",
  contentId: null,
  content: Uint8Array.from({ length: 1000 }, (_, index) => index % 256),
  ...values
})

/** A transition of a delivery from its current state. */
export const draftMove = (
  delivery: Delivery,
  to: DeliveryStatus,
  values: Partial<DeliveryMove> = {}
): DeliveryMove => ({
  accountId: delivery.accountId,
  id: delivery.id,
  from: delivery.status,
  to,
  reason: null,
  attempts: delivery.attempts,
  claim: null,
  at: now + 1000,
  ...values
})

/** A claim of a transactional delivery. */
export const draftClaim = (
  { accountId, id }: DeliveryRef,
  claim: number,
  values: Partial<GatedClaim> = {}
): GatedClaim => ({
  accountId,
  id,
  claim,
  email: "claimed@example.org",
  addressHash: "claimed",
  marketing: null,
  ...values
})

/** A DKIM key. */
export const draftDkimKey: DkimKey = {
  selector: "svc1r-0123456789",
  algorithm: "rsa",
  publicKey: "MIIB",
  sealedKey: oddText,
  state: "Active",
  createdAt: now - 1,
  retiredAt: null
}

/** A sending domain that was never checked. */
export const draftDomain = (accountId: string, values: Partial<SendingDomain> = {}): SendingDomain => ({
  id: newId(),
  accountId,
  domain: `${unique("mail")}.example.com`,
  status: "Pending",
  records: [],
  keys: [],
  failedChecks: 0,
  checkedAt: null,
  verifiedAt: null,
  createdAt: now,
  ...values
})

/** An order that is not stored. */
export const draftOrder = (storeId: string, values: Partial<Order> = {}): Order => ({
  id: newId(),
  storeId,
  externalId: unique("order"),
  number: null,
  status: "Pending",
  currency: "EUR",
  total: "10.00",
  email: null,
  customerName: null,
  contactId: null,
  placedAt: now,
  paidAt: null,
  lineCount: 1,
  lines: [{ productId: "tea-1", name: "Tea \u00e9", quantity: 2, price: "1.10" }],
  reached: [],
  sourceUpdatedAt: now,
  version: 1,
  ...values
})

/** A waiting event without a person. */
export const draftEvent = (values: Partial<PendingEvent> = {}): PendingEvent => ({
  id: newId(),
  eventId: unique("event"),
  name: "user.signed_up",
  occurredAt: now,
  properties: {},
  contact: { email: "ada@example.org" },
  person: { contactId: null, externalId: null, email: null },
  source: "Api",
  size: 10,
  ...values
})

/** A new run, of another flow and contact each time. */
export const draftRun = (accountId: string, values: Partial<Run> = {}): Run => ({
  ...newRun(
    {
      id: newId(),
      accountId,
      flowId: newId(),
      version: 1,
      contactId: newId(),
      event: { name: "a", occurredAt: now, properties: { odd: oddText, n: 1.5, deep: [{ a: null }] } }
    },
    "first",
    now
  ),
  ...values
})

/** A job that is due. */
export const draftJob = (values: Partial<NewJob> = {}): NewJob => ({
  id: newId(),
  accountId: newId(),
  queue: "deliveries",
  key: null,
  runAt: now,
  payload: null,
  ...values
})

/** The delivery of a submission with one recipient. */
export const deliveryOf = (submission: Submission): Delivery => submission.deliveries[0]!
