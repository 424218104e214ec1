/**
 * Defines the hosted pages behind the links of an email, at the base URL: forms for people, and one-click unsubscribing
 * for mail clients (RFC 8058).
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { linkPaths } from "../../../core/audience/pages/ContactLinks.ts"
import { archivePath } from "../../../core/campaigns/PublicArchive.ts"
import { EndpointGuard, MaxBody } from "./Envelope.ts"

/** Larger than any of the forms. */
const maxForm = 64 * 1024

const token = { token: Schema.String }
const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

/** A form. It is read after the link is checked. */
const form = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-www-form-urlencoded" }))

/** The hosted pages. */
export class HostedGroup extends HttpApiGroup.make("hosted")
  .add(
    HttpApiEndpoint.get("showConfirm", `${linkPaths.confirm}/:token`, { params: token, success: page }),
    HttpApiEndpoint.post("confirm", `${linkPaths.confirm}/:token`, {
      params: token,
      payload: form,
      success: page
    }),
    HttpApiEndpoint.get("showPreferences", `${linkPaths.preferences}/:token`, {
      params: token,
      query: { saved: Schema.optionalKey(Schema.String) },
      success: page
    }),
    HttpApiEndpoint.post("changePreferences", `${linkPaths.preferences}/:token`, {
      params: token,
      payload: form,
      success: page
    }),
    HttpApiEndpoint.get("showWebVersion", `${linkPaths.webVersion}/:token`, {
      params: token,
      success: page
    }),
    HttpApiEndpoint.get("showArchive", `${archivePath}/:key`, {
      params: { key: Schema.String },
      query: { p: Schema.optionalKey(Schema.String) },
      success: page
    }),
    // The feed is at `feed.xml`, which is not a valid slug.
    HttpApiEndpoint.get("showArchived", `${archivePath}/:key/:slug`, {
      params: { key: Schema.String, slug: Schema.String },
      success: page
    }),
    HttpApiEndpoint.get("showUnsubscribe", `${linkPaths.unsubscribe}/:token`, {
      params: token,
      success: page
    }),
    HttpApiEndpoint.post("unsubscribe", `${linkPaths.unsubscribe}/:token`, {
      params: token,
      payload: form,
      success: page
    })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" })
  .annotateEndpoints(MaxBody, maxForm) {}

export class HostedApi extends HttpApi.make("hosted").add(HostedGroup) {}
