/**
 * Defines the management endpoints of the content of emails, of sending them again, and of what the sandbox simulates.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { simulationKinds } from "../../../../core/sending/reports/InboxSimulation.ts"
import { envelope } from "../Envelope.ts"
import { oneOf } from "../Fields.ts"
import { IsAsSent } from "../management/Emails.ts"
import { resourcePath } from "../management/Path.ts"
import { SubmissionShape } from "../public/Sending.ts"
import { requiring } from "../Requirements.ts"

const nullableText = Schema.NullOr(Schema.String)

const EmailContentShape = Schema.Struct({
  subject: Schema.String,
  html: nullableText,
  text: nullableText,
  isAsSent: IsAsSent,
  headers: Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })),
  attachments: Schema.Array(
    Schema.Struct({
      filename: Schema.String,
      contentType: Schema.String,
      contentId: nullableText,
      bytes: Schema.Int
    })
  ),
  frameUrl: Schema.String.annotateKey({
    description:
      "The path of the email as a document for a sandboxed frame; `?images=true` loads remote images"
  })
}).annotate({ identifier: "EmailContent" })

const images = { images: Schema.optionalKey(Schema.Literals(["true", "false"])) }

/** The routes of the content of emails. */
export class EmailContentGroup extends HttpApiGroup.make("emailContent")
  .add(
    HttpApiEndpoint.get("content", "/accounts/:accountId/emails/:id/content", {
      params: resourcePath,
      success: envelope(EmailContentShape)
    }).annotate(OpenApi.Summary, "Read the content of an email, until retention erases it"),
    HttpApiEndpoint.get("raw", "/accounts/:accountId/emails/:id/raw", {
      params: resourcePath,
      success: Schema.String
    }).annotate(
      OpenApi.Summary,
      "Download the message of an email, without signature, tracking and the recipient's own links"
    ),
    HttpApiEndpoint.get("frame", "/accounts/:accountId/emails/:id/frame", {
      params: resourcePath,
      query: images,
      success: Schema.String
    }).annotate(OpenApi.Summary, "Show an email as a document for a sandboxed frame"),
    HttpApiEndpoint.post("resend", "/accounts/:accountId/emails/:id/resend", {
      params: resourcePath,
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Send an email again to its recipients, as a new email"),
    HttpApiEndpoint.get("inboxFrame", "/accounts/:accountId/inbox/:id/frame", {
      params: resourcePath,
      query: images,
      success: Schema.String
    }).annotate(OpenApi.Summary, "Show a message of the sandbox inbox as a document for a sandboxed frame"),
    HttpApiEndpoint.post("simulate", "/accounts/:accountId/inbox/:id/simulate", {
      params: resourcePath,
      payload: Schema.Struct({ kind: oneOf(simulationKinds) }),
      success: envelope(SubmissionShape)
    }).annotate(OpenApi.Summary, "Simulate what happens to a message of the sandbox inbox")
  )
  .pipe(
    requiring({
      content: "emails:content",
      raw: "emails:content",
      frame: "emails:content",
      resend: "emails:send",
      inboxFrame: "emails:read",
      simulate: "emails:send"
    })
  ) {}
