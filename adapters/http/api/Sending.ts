/**
 * The transactional email routes (public-api, Transactional email).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { deliveryStatuses } from "../../../core/sending/DeliveryStatus.ts"
import { EndpointGuard, envelope, keyWith, maybe } from "./Envelope.ts"

const text = maybe(Schema.String)
const Labels = Schema.Record(Schema.String, Schema.String)

/** `a@b.c`, `Name <a@b.c>` or an object. */
export const MailboxShape = Schema.Union([Schema.String, Schema.Struct({ email: Schema.String, name: text })])

const mailboxes = (description: string) => maybe(Schema.Array(MailboxShape)).annotateKey({ description })

const AttachmentShape = Schema.Struct({
  filename: Schema.String.annotateKey({ description: "Without a path, at most 255 characters" }),
  contentType: Schema.String.annotateKey({ description: "type/subtype" }),
  content: Schema.String.annotateKey({ description: "Base64" }),
  contentId: text.annotateKey({ description: "What `cid:` links of the html name it by" })
}).annotate({ identifier: "EmailAttachment" })

/** The body of POST /sending/emails. */
export const EmailRequestShape = Schema.Struct({
  from: maybe(MailboxShape).annotateKey({
    description: "On a verified domain of the account; the account's default sender when left out"
  }),
  to: maybe(MailboxShape).annotateKey({ description: "Required" }),
  cc: mailboxes("With to and bcc at most 50 recipients"),
  bcc: mailboxes("Recipients nobody else sees"),
  replyTo: maybe(MailboxShape),
  subject: text.annotateKey({ description: "At most 300 characters; required without templateId" }),
  html: text.annotateKey({
    description: "At most 500,000 characters; html or text is required without templateId"
  }),
  text: text.annotateKey({ description: "At most 500,000 characters" }),
  templateId: text.annotateKey({ description: "In the place of subject, html and text" }),
  variables: maybe(Schema.Record(Schema.String, Schema.Json)).annotateKey({
    description: "What the template names, at most 100,000 characters of JSON"
  }),
  sendAt: text.annotateKey({
    description: "ISO 8601 with offset, at most 30 days ahead; a moment in the past is at once"
  }),
  attachments: maybe(Schema.Array(AttachmentShape)).annotateKey({
    description: "At most 10, of 5 MiB together"
  }),
  headers: maybe(Labels).annotateKey({ description: "X-..., In-Reply-To and References; at most 20" }),
  idempotencyKey: text.annotateKey({ description: "The same as the header Idempotency-Key" }),
  tags: maybe(Labels),
  metadata: maybe(Labels),
  tracking: maybe(Schema.Struct({ opens: maybe(Schema.Boolean), clicks: maybe(Schema.Boolean) }))
}).annotate({ identifier: "EmailRequest" })

/** A recipient of a submission. */
export const RecipientShape = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["To", "Cc", "Bcc"]),
  status: Schema.Literals(deliveryStatuses),
  reason: Schema.NullOr(Schema.String)
})

/** The submission resource. */
export const SubmissionShape = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals([...deliveryStatuses, "Mixed"]),
  reason: Schema.NullOr(Schema.String),
  recipients: Schema.Array(RecipientShape),
  sendAt: Schema.NullOr(Schema.String),
  templateId: Schema.NullOr(Schema.String),
  metadata: Labels,
  tags: Labels
}).annotate({ identifier: "EmailSubmission" })

/** What POST /sending/emails answers. */
export const AcceptedShape = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["Queued", "Suppressed"]),
  reason: Schema.NullOr(Schema.String)
})

/** The routes of transactional email. */
export class SendingGroup extends HttpApiGroup.make("sending")
  .add(
    HttpApiEndpoint.post("submit", "/sending/emails", {
      headers: { "idempotency-key": Schema.optionalKey(Schema.String) },
      payload: EmailRequestShape,
      success: envelope(AcceptedShape)
    })
      .annotate(EndpointGuard, keyWith("emails:send"))
      .annotate(OpenApi.Summary, "Send a transactional email"),
    HttpApiEndpoint.get("get", "/sending/emails/:id", {
      params: { id: Schema.String },
      success: envelope(SubmissionShape)
    })
      .annotate(EndpointGuard, keyWith("emails:read"))
      .annotate(OpenApi.Summary, "Read an email and its delivery status")
  )
  .annotate(OpenApi.Title, "Transactional email") {}
