/**
 * Maps submissions, deliveries and attachments to rows.
 *
 * @module
 */
import {
  bodiesOf,
  type BodiesObject,
  type ObjectName,
  type StoredAttachment,
  type StoredBodies
} from "../../../core/model/Content.ts"
import {
  type Attachment,
  type Delivery,
  type EmailBodies,
  maxSmallBodies,
  type SubmissionContent,
  type SubmissionSummary,
  type UnloadedSubmission
} from "../../../core/model/Submission.ts"
import { columnsOf } from "../sql/columns.ts"

const summaryTypes = {
  accountId: "uuid",
  id: "uuid",
  idempotencyKey: "text",
  contentDigest: "text",
  from: "jsonb",
  replyTo: "jsonb",
  subject: "text",
  headers: "jsonb",
  language: "text",
  sendAt: "timestamptz",
  templateId: "uuid",
  templateVersion: "integer",
  flowId: "uuid",
  runId: "uuid",
  marketing: "jsonb",
  source: "text",
  keyId: "uuid",
  tags: "jsonb",
  metadata: "jsonb",
  trackOpens: "boolean",
  trackClicks: "boolean",
  isSystem: "boolean",
  acceptedStatus: "text",
  acceptedReason: "text",
  contentErasedAt: "timestamptz",
  createdAt: "timestamptz"
} as const

/** The columns of a submission that are read unless it is being sent. */
export const summaries = columnsOf<Omit<SubmissionSummary, "deliveries">>(summaryTypes)

const { marketing: _marketing, ...plainTypes } = summaryTypes
const plain = columnsOf<Omit<SubmissionSummary, "deliveries" | "marketing">>(plainTypes)

/** The campaign and the marketing contact of a submission `s`, as in their indexes. Earlier versions kept them in `marketing`. */
export const campaignOf = (s: string): string =>
  `coalesce(${s}.campaign_id, (${s}.marketing -> 'campaign' ->> 'id')::uuid)`
export const contactOf = (s: string): string =>
  `coalesce(${s}.contact_id, (${s}.marketing ->> 'contactId')::uuid)`
export const isOfCampaign = (s: string): string =>
  `(${s}.campaign_id is not null or ${s}.marketing -> 'campaign' is not null)`
export const isMarketing = (s: string): string =>
  `(${s}.contact_id is not null or ${s}.marketing is not null)`

/** The value of `marketing` of a submission `s`. */
const marketingOf = (s: string): string => `case when ${s}.contact_id is null then ${s}.marketing else
  jsonb_build_object('contactId', ${s}.contact_id, 'topicId', ${s}.topic_id) || case when ${s}.campaign_id is null then '{}' else
    jsonb_build_object('campaign', jsonb_build_object('id', ${s}.campaign_id, 'version', ${s}.campaign_version)
      || case when ${s}.variant is null then '{}' else jsonb_build_object('variant', ${s}.variant) end) end end`

/** The columns of a submission `s` that {@link summaries} decodes. */
export const selectedSummary = (s: string): string => `${plain.selected(s)}, ${marketingOf(s)} as marketing`

/** A submission as it is inserted: with a reference to the content that has its bodies, or with the bodies themselves. */
export interface InsertedSubmission
  extends Omit<SubmissionContent, "marketing">, Omit<BodiesObject, "object"> {
  /** As PostgreSQL writes bytes. */
  readonly bodiesHash: string | null
  /** From `marketing`. */
  readonly contactId: string | null
  readonly topicId: string | null
  readonly campaignId: string | null
  readonly campaignVersion: number | null
  readonly variant: string | null
}

/** The columns of a submission itself. */
export const contents = columnsOf<InsertedSubmission>({
  ...plainTypes,
  contactId: "uuid",
  topicId: "uuid",
  campaignId: "uuid",
  campaignVersion: "integer",
  variant: "text",
  html: "text",
  text: "text",
  bodiesHash: "bytea",
  htmlBytes: "integer",
  textBytes: "integer"
})

/** A hash, as PostgreSQL writes bytes. */
export const bytesOfHash = (hash: string): string => `\\x${hash}`

const deliveryTypes = {
  accountId: "uuid",
  id: "uuid",
  submissionId: "uuid",
  email: "text",
  name: "text",
  kind: "text",
  status: "text",
  reason: "text",
  attempts: "integer",
  claims: "integer",
  committedAt: "timestamptz",
  openedAt: "timestamptz",
  clickedAt: "timestamptz",
  lane: "text",
  line: "text",
  heldSince: "timestamptz",
  notDue: "bigint",
  provider: "text",
  contentHash: "uuid",
  complainedAt: "timestamptz",
  unsubscribedAt: "timestamptz",
  topicOffAt: "timestamptz",
  updatedAt: "timestamptz"
} as const

/** The columns of `deliveries`. */
export const deliveries = columnsOf<Delivery>(deliveryTypes)

/** A delivery as it is inserted: with its position in the submission, its time, and the campaign that sent it. */
interface InsertedDelivery extends Delivery {
  readonly position: number
  readonly createdAt: number
  readonly campaignId: string | null
}

const insertedTypes = {
  ...deliveryTypes,
  position: "integer",
  createdAt: "timestamptz",
  campaignId: "uuid"
} as const

/** Deliveries as they are inserted. */
export const recipients = columnsOf<InsertedDelivery>(insertedTypes)

/** The same, with the values by which a campaign counts them: see `migrations/0081_campaign_tallies.ts`. */
export const countedRecipients = columnsOf<
  InsertedDelivery & {
    /** The variant, the version and the language, each followed by `|`; null without a campaign. */
    readonly part: string | null
    /** The contact, whose country is counted. */
    readonly contactId: string | null
  }
>({ ...insertedTypes, part: "text", contactId: "uuid" })

/** An attachment, with a reference to the content that has its bytes and its position in the submission. */
export type AttachmentRow = Omit<Attachment, "content"> & {
  readonly accountId: string
  readonly submissionId: string
  readonly position: number
  /** As PostgreSQL writes bytes. */
  readonly hash: string
  readonly size: number
}

/** The columns of `attachments`, except the bytes, which only earlier versions stored there. */
export const attachments = columnsOf<AttachmentRow>({
  accountId: "uuid",
  submissionId: "uuid",
  position: "integer",
  filename: "text",
  contentType: "text",
  contentId: "text",
  hash: "bytea",
  size: "integer"
})

/** The row of a submission, with its deliveries as JSON. */
export interface SubmissionRow {
  readonly deliveries: ReadonlyArray<object>
}

const deliveriesOf = (row: SubmissionRow): ReadonlyArray<Delivery> => row.deliveries.map(deliveries.decode)

/** Content as a statement reads it: from a row of `contents`, or null if there is none. */
export interface ContentColumns {
  readonly hash: string | null
  readonly objectId: string | null
  readonly content: Uint8Array | null
}

/** The bodies of a submission, as a statement reads them. */
export interface BodiesRow extends ContentColumns, EmailBodies, Omit<BodiesObject, "object"> {
  readonly accountId: string
}

/** The name of content outside the database. If a hash has no row, which no object has, the content is reported missing. */
const objectOf = (accountId: string, hash: string, id: string | null): ObjectName => ({
  accountId,
  hash,
  id: id ?? noId
})

const noId = "00000000-0000-0000-0000-000000000000"

/** The bodies of a row. */
export const toBodies = (row: BodiesRow): StoredBodies => {
  const { accountId, content, hash, html, htmlBytes, objectId, text, textBytes } = row
  if (hash === null) return { html, text }
  return content === null
    ? {
        html: null,
        text: null,
        outside: { object: objectOf(accountId, hash, objectId), htmlBytes, textBytes }
      }
    : bodiesOf(content, { htmlBytes, textBytes })
}

/** An attachment's row. */
export interface FileRow extends Omit<StoredAttachment, "content">, ContentColumns {
  readonly accountId: string
  readonly submissionId: string
}

/** The attachment of a row. */
export const toAttachment = (row: FileRow): StoredAttachment => {
  const { accountId, content, contentId, contentType, filename, hash, objectId } = row
  return {
    filename,
    contentType,
    contentId,
    content: content ?? objectOf(accountId, hash ?? "", objectId)
  }
}

/** A submission's row, with small bodies and the sizes of its content in bytes. */
export interface UnloadedRow extends SubmissionRow, BodiesRow {
  readonly bodyBytes: number
  readonly attachedBytes: number
}

/** The submission of a row. It has its bodies if they are small and in the database. */
export const toUnloaded = (row: UnloadedRow): UnloadedSubmission => {
  const { attachedBytes, bodyBytes } = row
  const isApart = row.hash !== null && row.content === null
  return {
    ...toSummary(row),
    bodies: bodyBytes > maxSmallBodies || isApart ? null : toBodies(row),
    bodyBytes,
    attachedBytes
  }
}

/** The submission of a row, without the parts that only sending needs. */
export const toSummary = (row: SubmissionRow): SubmissionSummary => ({
  ...summaries.decode(row),
  deliveries: deliveriesOf(row)
})
