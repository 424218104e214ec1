/**
 * Defines the management endpoints of templates.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { actorKinds } from "../../../../core/model/Actor.ts"
import { templateFormats } from "../../../../core/model/Template.ts"
import { envelope, maybe } from "../Envelope.ts"
import { conditional, editedFields } from "../Conditional.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { asWritten, id } from "../Fields.ts"
import { requiring } from "../Requirements.ts"
import { usedBy } from "./Flows.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const content = {
  name: Schema.String,
  subject: Schema.String,
  format: Schema.Literals(templateFormats),
  source: nullableText.annotateKey({
    description: "The MJML of the format Mjml, the document of the format Blocks as JSON; null for Html"
  }),
  preheader: nullableText,
  html: nullableText.annotateKey({
    description: "For the formats Mjml and Blocks: the HTML compiled from `source`"
  }),
  text: nullableText
}

const TemplateShape = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  ...content,
  createdAt: Schema.String,
  ...editedFields
}).annotate({ identifier: "Template" })

const ListedTemplateShape = Schema.Struct({
  ...TemplateShape.fields,
  lastUsedAt: nullableText.annotateKey({
    description: "When the latest email that is kept was made from it; null for none"
  })
}).annotate({ identifier: "ListedTemplate" })

const savedBy = Schema.NullOr(
  Schema.Struct({ kind: Schema.Literals(actorKinds), id: nullableText, name: nullableText })
)

const TemplateVersionShape = Schema.Struct({
  version: Schema.Int,
  ...content,
  savedAt: Schema.String,
  savedBy
}).annotate({ identifier: "TemplateVersion" })

const TemplateUsageShape = Schema.Struct({
  ...usedBy,
  lastUsedAt: nullableText
}).annotate({ identifier: "TemplateUsage" })

const TemplateStarterShape = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  description: Schema.String,
  subject: Schema.String,
  preheader: nullableText,
  format: Schema.Literals(templateFormats),
  source: nullableText,
  text: nullableText,
  sample: Schema.Record(Schema.String, Schema.Unknown).annotateKey({
    description: "Variables with which it shows what it is for"
  })
}).annotate({ identifier: "TemplateStarter" })

const TemplatePreviewShape = Schema.Struct({
  subject: nullableText,
  preheader: nullableText,
  html: nullableText,
  text: nullableText,
  mjml: nullableText.annotateKey({
    description: "For a draft of the format Blocks: the MJML generated from it"
  }),
  problems: Schema.Array(
    Schema.Struct({
      code: Schema.String,
      field: nullableText,
      message: Schema.String,
      params: Schema.NullOr(Schema.Record(Schema.String, Schema.Finite))
    })
  ),
  findings: Schema.Array(
    Schema.Struct({
      rule: Schema.String,
      field: Schema.Literals(["subject", "html", "text"]),
      message: Schema.String
    })
  ).annotateKey({
    description:
      "Problems that a spam filter would report, with the names of SpamAssassin's rules, and problems for readers"
  }),
  frameUrl: nullableText.annotateKey({
    description: "Shows the html in a frame to the same session or token, for 10 minutes"
  })
}).annotate({ identifier: "TemplatePreview" })

const bodies = {
  format: maybe(Schema.Literals(templateFormats)),
  source: maybe(Schema.String),
  preheader: maybe(Schema.String),
  html: maybe(Schema.String),
  text: maybe(Schema.String)
}

const template = "/accounts/:accountId/templates/:id"

/** The routes of templates. */
export class TemplatesGroup extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/templates", {
      params: accountPath,
      payload: Schema.Struct({
        name: Schema.String,
        subject: Schema.String,
        ...bodies
      }),
      success: envelope(TemplateShape)
    }).annotate(OpenApi.Summary, "Add a template: Liquid in subject, html (or MJML) and text"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/templates", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(ListedTemplateShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/templates/:id", {
      params: resourcePath,
      success: envelope(TemplateShape)
    }),
    HttpApiEndpoint.patch("update", "/accounts/:accountId/templates/:id", {
      params: resourcePath,
      headers: conditional,
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        subject: Schema.optionalKey(Schema.String),
        ...bodies
      }),
      success: envelope(TemplateShape)
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/templates/:id", {
      params: resourcePath,
      headers: conditional,
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.post("render", "/accounts/:accountId/templates/:id/render", {
      params: resourcePath,
      payload: Schema.Struct({
        variables: maybe(Schema.Record(Schema.String, Schema.Unknown.annotate(asWritten)))
      }),
      success: envelope(
        Schema.Struct({
          subject: Schema.String,
          html: Schema.NullOr(Schema.String),
          text: Schema.NullOr(Schema.String)
        })
      )
    }).annotate(OpenApi.Summary, "Render a template"),
    HttpApiEndpoint.get("versions", `${template}/versions`, {
      params: resourcePath,
      query: listing(["Count"]),
      success: envelope(
        listOf(
          Schema.Struct({
            version: Schema.Int,
            name: Schema.String,
            subject: Schema.String,
            savedAt: Schema.String,
            savedBy
          })
        )
      )
    }).annotate(OpenApi.Summary, "List the versions of a template, the newest 50"),
    HttpApiEndpoint.get("version", `${template}/versions/:version`, {
      params: { ...resourcePath, version: Schema.Int },
      success: envelope(TemplateVersionShape)
    }).annotate(OpenApi.Summary, "Get a version of a template with its content"),
    HttpApiEndpoint.post("restore", `${template}/restore`, {
      params: resourcePath,
      payload: Schema.Struct({ version: Schema.Int }),
      success: envelope(TemplateShape)
    }).annotate(OpenApi.Summary, "Save the content of a version again, as the next version"),
    HttpApiEndpoint.get("usage", `${template}/usage`, {
      params: resourcePath,
      success: envelope(TemplateUsageShape)
    }).annotate(OpenApi.Summary, "Say where a template is used"),
    HttpApiEndpoint.post("test", `${template}/test`, {
      params: resourcePath,
      payload: Schema.Struct({ to: Schema.String, contactId: maybe(id) }),
      success: envelope(Schema.Struct({ emailId: Schema.String }))
    }).annotate(OpenApi.Summary, "Send an email from a template to one address, to try it"),
    HttpApiEndpoint.post("preview", "/accounts/:accountId/templates/preview", {
      params: accountPath,
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        subject: Schema.String,
        ...bodies,
        variables: maybe(Schema.Record(Schema.String, Schema.Unknown.annotate(asWritten))),
        contactId: maybe(id)
      }),
      success: envelope(TemplatePreviewShape)
    }).annotate(OpenApi.Summary, "Render an unsaved draft; what is wrong with it is returned in problems"),
    HttpApiEndpoint.get("frame", "/accounts/:accountId/frames/:id", {
      params: resourcePath,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).annotate(OpenApi.Summary, "The html of a preview, for a frame"),
    HttpApiEndpoint.get("show", `${template}/frame`, {
      params: resourcePath,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).annotate(
      OpenApi.Summary,
      "A saved template as html, for a frame, as a person sees it of whom nothing is known"
    ),
    HttpApiEndpoint.get("starters", "/accounts/:accountId/template-starters", {
      params: accountPath,
      success: envelope(Schema.Array(TemplateStarterShape))
    }).annotate(OpenApi.Summary, "List ready-made templates"),
    HttpApiEndpoint.get("picture", "/accounts/:accountId/template-starters/:key/frame", {
      params: { ...accountPath, key: Schema.String },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).annotate(OpenApi.Summary, "A ready-made template as html, for a frame")
  )
  .pipe(
    requiring({
      create: "templates:write",
      list: "templates:read",
      get: "templates:read",
      update: "templates:write",
      remove: "templates:write",
      render: "templates:read",
      versions: "templates:read",
      version: "templates:read",
      restore: "templates:write",
      usage: "templates:read",
      test: "emails:send",
      preview: "templates:read",
      frame: "templates:read",
      show: "templates:read",
      starters: "templates:read",
      picture: "templates:read"
    })
  ) {}
