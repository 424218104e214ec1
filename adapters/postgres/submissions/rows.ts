/**
 * Submissions, deliveries and attachments as rows.
 *
 * @module
 */
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
  sendAt: "timestamptz",
  templateId: "uuid",
  flowId: "uuid",
  runId: "uuid",
  marketing: "jsonb",
  tags: "jsonb",
  metadata: "jsonb",
  trackOpens: "boolean",
  trackClicks: "boolean",
  acceptedStatus: "text",
  acceptedReason: "text",
  contentErasedAt: "timestamptz",
  createdAt: "timestamptz"
} as const

/** The columns of a submission that are read where it is not sent. */
export const summaries = columnsOf<Omit<SubmissionSummary, "deliveries">>(summaryTypes)

/** A submission's own columns. */
export const contents = columnsOf<SubmissionContent>({ ...summaryTypes, html: "text", text: "text" })

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
  updatedAt: "timestamptz"
} as const

/** The columns of `deliveries`. */
export const deliveries = columnsOf<Delivery>(deliveryTypes)

/** Deliveries as they are inserted: with their position in the submission, and its time. */
export const recipients = columnsOf<Delivery & { readonly position: number; readonly createdAt: number }>({
  ...deliveryTypes,
  position: "integer",
  createdAt: "timestamptz"
})

/** An attachment without its bytes, with its position in its submission. */
export type AttachmentRow = Omit<Attachment, "content"> & {
  readonly accountId: string
  readonly submissionId: string
  readonly position: number
}

/** The columns of `attachments` except the bytes, which no JSON carries. */
export const attachments = columnsOf<AttachmentRow>({
  accountId: "uuid",
  submissionId: "uuid",
  position: "integer",
  filename: "text",
  contentType: "text",
  contentId: "text"
})

/** A submission's row, with its deliveries as JSON. */
export interface SubmissionRow {
  readonly deliveries: ReadonlyArray<object>
}

const deliveriesOf = (row: SubmissionRow): ReadonlyArray<Delivery> => row.deliveries.map(deliveries.decode)

/** A submission's row, with small bodies and the sizes of its content in bytes. */
export interface UnloadedRow extends SubmissionRow, EmailBodies {
  readonly bodyBytes: number
  readonly attachedBytes: number
}

/** The submission of a row, with its bodies where they are small. */
export const toUnloaded = (row: UnloadedRow): UnloadedSubmission => {
  const { attachedBytes, bodyBytes, html, text } = row
  return {
    ...toSummary(row),
    bodies: bodyBytes > maxSmallBodies ? null : { html, text },
    bodyBytes,
    attachedBytes
  }
}

/** The submission of a row, without what only sending needs. */
export const toSummary = (row: SubmissionRow): SubmissionSummary => ({
  ...summaries.decode(row),
  deliveries: deliveriesOf(row)
})
