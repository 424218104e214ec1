/**
 * Submissions, deliveries and attachments as rows.
 *
 * @module
 */
import type {
  Attachment,
  Delivery,
  Submission,
  SubmissionContent,
  SubmissionSummary,
  UnloadedSubmission
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
} satisfies Record<keyof Omit<SubmissionSummary, "deliveries">, string>

/** What is read of submissions that are not sent. */
export const summaries = columnsOf(summaryTypes)

/** A submission's own columns. */
export const contents = columnsOf({ ...summaryTypes, html: "text", text: "text" } satisfies Record<
  keyof SubmissionContent,
  string
>)

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
} satisfies Record<keyof Delivery, string>

/** What is read of deliveries. */
export const deliveries = columnsOf(deliveryTypes)

/** Deliveries as they are added: with their place in the submission, and its time. */
export const recipients = columnsOf({ ...deliveryTypes, position: "integer", createdAt: "timestamptz" })

/** An attachment without its bytes, in its place in its submission. */
export type AttachmentRow = Omit<Attachment, "content"> & {
  readonly accountId: string
  readonly submissionId: string
  readonly position: number
}

/** What an attachment is, but for its bytes, which no JSON carries. */
export const attachments = columnsOf({
  accountId: "uuid",
  submissionId: "uuid",
  position: "integer",
  filename: "text",
  contentType: "text",
  contentId: "text"
} satisfies Record<keyof AttachmentRow, string>)

/** A submission's row, with its deliveries as JSON. */
export interface SubmissionRow {
  readonly deliveries: ReadonlyArray<object>
}

/** The delivery of a row. */
export const toDelivery = (row: object): Delivery => deliveries.decode<Delivery>(row)

const deliveriesOf = (row: SubmissionRow): ReadonlyArray<Delivery> =>
  row.deliveries.map((delivery) => deliveries.parse<Delivery>(delivery))

/** The submission of a row, with its attachments. */
export const toSubmission = (row: SubmissionRow, files: ReadonlyArray<Attachment>): Submission => ({
  ...contents.decode<SubmissionContent>(row),
  attachments: files,
  deliveries: deliveriesOf(row)
})

/** The submission of a row, with the bytes of its attachments alone. */
export const toUnloaded = (row: SubmissionRow, attachedBytes: number): UnloadedSubmission => ({
  ...contents.decode<SubmissionContent>(row),
  attachedBytes,
  deliveries: deliveriesOf(row)
})

/** The submission of a row without what only sending needs. */
export const toSummary = (row: SubmissionRow): SubmissionSummary => ({
  ...summaries.decode<Omit<SubmissionSummary, "deliveries">>(row),
  deliveries: deliveriesOf(row)
})
