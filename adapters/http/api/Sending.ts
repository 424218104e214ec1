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

/** Fields of decisions 5 that are refused for now. Their shape is not looked at. */
const Unsupported = Schema.optional(Schema.Unknown)

/** The body of POST /sending/emails. */
export const EmailRequestShape = Schema.Struct({
  to: maybe(MailboxShape),
  subject: text,
  html: text,
  text,
  idempotencyKey: text,
  tags: maybe(Labels),
  metadata: maybe(Labels),
  tracking: maybe(Schema.Struct({ opens: maybe(Schema.Boolean), clicks: maybe(Schema.Boolean) })),
  cc: Unsupported,
  bcc: Unsupported,
  from: Unsupported,
  replyTo: Unsupported,
  templateId: Unsupported,
  variables: Unsupported,
  sendAt: Unsupported,
  attachments: Unsupported,
  headers: Unsupported
}).annotate({ identifier: "EmailRequest" })

const RecipientShape = Schema.Struct({
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
