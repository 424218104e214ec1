/**
 * Defines the management endpoints of emails and the sandbox inbox.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { agentClasses, visitedBy, visitVerdicts } from "../../../../core/model/Visit.ts"
import { emailSources } from "../../../../core/model/Submission.ts"
import { deliveryReasons, deliveryStatuses } from "../../../../core/model/DeliveryStatus.ts"
import { envelope, ReadsContent } from "../Envelope.ts"
import { anyOf, byTime, listing, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { domain, email, id, textUpTo } from "../Fields.ts"
import { requiring } from "../Requirements.ts"
import { RecipientShape, SubmissionShape } from "../public/Sending.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

/** A sender. */
export const SenderShape = Schema.Struct({ email: Schema.String, name: nullableText })

/** Whether an email is shown as it was sent. */
export const IsAsSent = Schema.NullOr(Schema.Boolean).annotateKey({
  description:
    "Whether this is what was sent: false where the person's data, or the catalogue, has changed since the email of a campaign; null where that is not known, and before it is sent"
})

const InboxMessageShape = Schema.Struct({
  id: Schema.String,
  submissionId: Schema.String,
  to: Schema.String,
  from: SenderShape,
  subject: Schema.String,
  html: nullableText,
  text: nullableText,
  isAsSent: IsAsSent,
  receivedAt: Schema.String
}).annotate({ identifier: "InboxMessage" })

const AttemptShape = Schema.Struct({
  startedAt: Schema.String,
  finishedAt: Schema.String,
  outcome: Schema.String,
  source: nullableText,
  host: nullableText,
  tls: nullableText,
  replies: Schema.Array(Schema.String),
  error: nullableText
}).annotate({ identifier: "DeliveryAttempt" })

const VisitCountsShape = Schema.Struct({
  Human: Schema.Number,
  Machine: Schema.Number,
  Unknown: Schema.Number
}).annotate({ identifier: "VisitCounts" })

const VisitShape = Schema.Struct({
  at: Schema.String,
  kind: Schema.Literals(["Open", "Click"]),
  link: nullableText,
  method: Schema.String,
  network: nullableText,
  agent: Schema.Literals(agentClasses),
  verdict: Schema.Literals(visitVerdicts),
  rule: Schema.String
}).annotate({ identifier: "Visit" })

const VisitsShape = Schema.Struct({
  readerOpenedAt: nullableText,
  readerClickedAt: nullableText,
  opens: VisitCountsShape,
  clicks: VisitCountsShape,
  recent: Schema.Array(VisitShape)
}).annotate({ identifier: "DeliveryVisits" })

const ListedEmailShape = Schema.Struct({
  ...SubmissionShape.fields,
  createdAt: Schema.String,
  from: Schema.NullOr(SenderShape),
  subject: Schema.String,
  source: Schema.Literals(emailSources),
  keyId: nullableText.annotate({ description: "The API key that sent it" })
}).annotate({ identifier: "ListedEmail" })

const EmailDetailShape = Schema.Struct({
  ...ListedEmailShape.fields,
  idempotencyKey: nullableText,
  templateVersion: Schema.NullOr(Schema.Int).annotateKey({
    description:
      "The version of the template; null without one, and for an email of before versions were kept"
  }),
  flowId: nullableText.annotateKey({ description: "The flow that sent it" }),
  runId: nullableText.annotateKey({ description: "The run of the flow" }),
  campaignId: nullableText.annotateKey({ description: "The campaign that sent it" }),
  contentErasedAt: nullableText,
  recipients: Schema.Array(
    Schema.Struct({
      ...RecipientShape.fields,
      updatedAt: Schema.String,
      openedAt: nullableText,
      clickedAt: nullableText,
      source: nullableText.annotateKey({
        description: "The address that it last left from; null where the system chose it"
      }),
      provider: nullableText.annotateKey({
        description: "The key of the provider whose servers were last tried; null for none of the table"
      }),
      heldSince: nullableText.annotateKey({
        description: "Since when the email is held, while it is; null otherwise"
      }),
      nextAttemptAt: nullableText.annotateKey({
        description: "When the email is tried next, at the latest; null if it is not queued"
      }),
      words: nullableText.annotateKey({
        description:
          "What the server replied last; of a held email that was not tried, what it replied to another"
      }),
      visits: VisitsShape,
      attempts: Schema.Array(AttemptShape)
    })
  )
}).annotate({ identifier: "EmailDetail" })

/** The routes of emails. */
export class EmailsGroup extends HttpApiGroup.make("emails")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/emails", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byTime }, "-time"),
        ...timeRange,
        status: anyOf(Schema.Literals(deliveryStatuses), "Status of a recipient"),
        reason: anyOf(Schema.Literals(deliveryReasons), "Reason of a recipient's status"),
        to: anyOf(email, "Address of a recipient"),
        domain: anyOf(domain, "Domain of a recipient's address"),
        provider: anyOf(textUpTo(100), "Key of the provider whose servers were last tried"),
        from: anyOf(email, "Address of the sender, where the email named one"),
        flowId: anyOf(id),
        campaignId: anyOf(id, "A campaign"),
        templateId: anyOf(id),
        keyId: anyOf(id, "The API key that sent it"),
        source: anyOf(Schema.Literals(emailSources), "What sent it"),
        opened: anyOf(Schema.Literals(visitedBy), "Who opened it; None where none did"),
        clicked: anyOf(Schema.Literals(visitedBy), "Who clicked a link; None where none did"),
        contactId: anyOf(id, "A contact of one of the recipients' addresses, also of one it had before"),
        tag: anyOf(
          Schema.String.annotate({ pattern: "^[^=\\u0000]+=[^\\u0000]*$" }),
          "A tag with its value, `name=value`"
        ),
        q: search(
          "The beginning of the subject, of a recipient's address or of the idempotency key; or the id of the email or of the " +
            "message to a recipient"
        )
      },
      success: envelope(listOf(ListedEmailShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/emails/:id", {
      params: resourcePath,
      success: envelope(EmailDetailShape)
    }).annotate(OpenApi.Summary, "Read an email with its delivery attempts"),
    HttpApiEndpoint.post("cancel", "/accounts/:accountId/emails/:id/cancel", {
      params: resourcePath,
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Cancel what is still queued of an email"),
    HttpApiEndpoint.post("release", "/accounts/:accountId/emails/:id/release", {
      params: resourcePath,
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Send what is held of an email for review"),
    HttpApiEndpoint.post("refuse", "/accounts/:accountId/emails/:id/refuse", {
      params: resourcePath,
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Refuse what is held of an email for review"),
    HttpApiEndpoint.get("inbox", "/accounts/:accountId/inbox", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(InboxMessageShape))
    }),
    HttpApiEndpoint.get("inboxMessage", "/accounts/:accountId/inbox/:id", {
      params: resourcePath,
      success: envelope(InboxMessageShape)
    }).annotate(ReadsContent, true),
    HttpApiEndpoint.get("inboxRaw", "/accounts/:accountId/inbox/:id/raw", {
      params: resourcePath,
      success: Schema.String
    }).annotate(ReadsContent, true)
  )
  .pipe(
    requiring({
      list: "emails:read",
      get: "emails:read",
      cancel: "emails:send",
      release: "emails:release",
      refuse: "emails:release",
      inbox: "emails:read",
      inboxMessage: "emails:read",
      inboxRaw: "emails:read"
    })
  ) {}
