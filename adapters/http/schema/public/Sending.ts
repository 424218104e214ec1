/**
 * Defines the transactional email endpoints of the public API (docs/contributing/public-api.md "Transactional email").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { maxAttachments } from "../../../../core/sending/emails/EmailAttachments.ts"
import { maxBody, maxSubject } from "../../../../core/sending/emails/EmailContent.ts"
import { idempotencyKeyPattern } from "../../../../core/sending/emails/EmailRequest.ts"
import { EndpointGuard, envelope, keyWith, maybe } from "../Envelope.ts"
import { asWritten, id, listUpTo, timestamp, timestampWithOffset, textUpTo } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { readEmail, submitEmail } from "../notes/sending.ts"

const text = maybe(Schema.String)
const Labels = Schema.Record(Schema.String, Schema.String)

/** `a@b.c`, `Name <a@b.c>` or an object. */
export const MailboxShape = Schema.Union([Schema.String, Schema.Struct({ email: Schema.String, name: text })])

const mailboxes = (description: string) => maybe(Schema.Array(MailboxShape)).annotateKey({ description })

const AttachmentShape = Schema.Struct({
  filename: Schema.String.annotateKey({ description: "Without a path, at most 255 characters" }),
  contentType: Schema.String.annotateKey({
    description: "type/subtype with optional parameters, such as `text/calendar; method=REQUEST`"
  }),
  content: Schema.String.annotateKey({ description: "Base64" }),
  contentId: text.annotateKey({ description: "The name that `cid:` links of the html use" })
}).annotate({ identifier: "EmailAttachment" })

/** The body of POST /sending/emails. */
export const EmailRequestShape = Schema.Struct({
  from: maybe(MailboxShape).annotateKey({
    description: "On a verified domain of the account; the account's default sender when left out"
  }),
  to: maybe(
    MailboxShape.annotate({
      hint: "to is one address; others are given in cc and bcc, or get an email each"
    })
  ).annotateKey({ description: "Required" }),
  cc: mailboxes("With to and bcc at most 50 recipients"),
  bcc: mailboxes("Recipients that are hidden from the others"),
  replyTo: maybe(MailboxShape),
  subject: maybe(textUpTo(maxSubject)).annotateKey({
    description: "At most 300 characters; required without templateId"
  }),
  html: maybe(textUpTo(maxBody)).annotateKey({
    description: "At most 500,000 characters; html or text is required without templateId"
  }),
  text: maybe(textUpTo(maxBody)).annotateKey({ description: "At most 500,000 characters" }),
  templateId: maybe(id).annotateKey({ description: "Replaces subject, html and text" }),
  variables: maybe(Schema.Record(Schema.String, Schema.Json.annotate(asWritten))).annotateKey({
    description: "Values of the template's variables, at most 100,000 characters of JSON"
  }),
  sendAt: maybe(timestampWithOffset).annotateKey({
    description: "ISO 8601 with offset, at most 30 days ahead; a past time sends at once"
  }),
  attachments: maybe(listUpTo(AttachmentShape, maxAttachments)).annotateKey({
    description: "At most 10, of 5 MiB together"
  }),
  headers: maybe(Labels).annotateKey({ description: "X-..., In-Reply-To and References; at most 20" }),
  idempotencyKey: text.annotateKey({
    description: "The same as the header Idempotency-Key: 1 to 150 visible ASCII characters"
  }),
  tags: maybe(Labels),
  metadata: maybe(Labels),
  tracking: maybe(Schema.Struct({ opens: maybe(Schema.Boolean), clicks: maybe(Schema.Boolean) }))
}).annotate({ identifier: "EmailRequest" })

/** A recipient of a submission. */
export const RecipientShape = Schema.Struct({
  id,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  kind: Schema.Literals(["To", "Cc", "Bcc"]),
  status: Schema.Literals(deliveryStatuses),
  reason: Schema.NullOr(Schema.String)
})

/** The submission resource. */
export const SubmissionShape = Schema.Struct({
  id,
  status: Schema.Literals([...deliveryStatuses, "Mixed"]),
  reason: Schema.NullOr(Schema.String),
  recipients: Schema.Array(RecipientShape),
  sendAt: Schema.NullOr(timestamp),
  templateId: Schema.NullOr(id),
  metadata: Labels,
  tags: Labels
}).annotate({ identifier: "EmailSubmission" })

/** The response of POST /sending/emails. */
export const AcceptedShape = Schema.Struct({
  id,
  status: Schema.Literals(["Queued", "Suppressed"]),
  reason: Schema.NullOr(Schema.String)
})

/** The routes of transactional email. */
export class SendingGroup extends HttpApiGroup.make("sending")
  .add(
    HttpApiEndpoint.post("submit", "/sending/emails", {
      headers: {
        "idempotency-key": Schema.optionalKey(
          Schema.String.annotate({
            pattern: idempotencyKeyPattern.source,
            description: "Your own id of this send: 1 to 150 visible ASCII characters"
          })
        )
      },
      payload: EmailRequestShape,
      success: envelope(AcceptedShape)
    })
      .annotate(EndpointGuard, keyWith("emails:send"))
      .annotate(OpenApi.Summary, "Send a transactional email")
      .annotate(Notes, submitEmail),
    HttpApiEndpoint.get("get", "/sending/emails/:id", {
      params: { id: id.annotate({ description: "The id that sending the email returned" }) },
      success: envelope(SubmissionShape)
    })
      .annotate(EndpointGuard, keyWith("emails:read"))
      .annotate(OpenApi.Summary, "Read an email and its delivery status")
      .annotate(Notes, readEmail)
  )
  .annotate(OpenApi.Title, "Transactional email")
  .annotate(OpenApi.Description, "Single emails that an action of the recipient triggers.") {}
