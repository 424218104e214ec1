/**
 * Defines the management endpoints of templates.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { envelope, maybe } from "../Envelope.ts"
import { conditional, editedFields } from "../Conditional.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

const TemplateShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  subject: Schema.String,
  html: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  ...editedFields
}).annotate({ identifier: "Template" })

/** The routes of templates. */
export class TemplatesGroup extends HttpApiGroup.make("templates")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/templates", {
      params: accountPath,
      payload: Schema.Struct({
        name: Schema.String,
        subject: Schema.String,
        html: maybe(Schema.String),
        text: maybe(Schema.String)
      }),
      success: envelope(TemplateShape)
    }).annotate(OpenApi.Summary, "Add a template: Liquid in subject, html (or MJML) and text"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/templates", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(TemplateShape))
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
        html: maybe(Schema.String),
        text: maybe(Schema.String)
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
      payload: Schema.Struct({ variables: maybe(Schema.Record(Schema.String, Schema.Unknown)) }),
      success: envelope(
        Schema.Struct({
          subject: Schema.String,
          html: Schema.NullOr(Schema.String),
          text: Schema.NullOr(Schema.String)
        })
      )
    }).annotate(OpenApi.Summary, "Render a template")
  )
  .pipe(
    requiring({
      create: "templates:write",
      list: "templates:read",
      get: "templates:read",
      update: "templates:write",
      remove: "templates:write",
      render: "templates:read"
    })
  ) {}
