/**
 * Defines the management endpoints of the request log and of what an account uses.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { envelope } from "../Envelope.ts"
import { id, textUpTo } from "../Fields.ts"
import { anyOf, byTime, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "../management/Path.ts"

/** A call of the request log. */
export const RequestShape = Schema.Struct({
  id: Schema.String,
  requestId: Schema.String,
  at: Schema.String,
  keyId: Schema.String,
  method: Schema.String,
  route: Schema.NullOr(Schema.String).annotateKey({
    description: "The template; null where there is no such route"
  }),
  status: Schema.Int,
  code: Schema.NullOr(Schema.String).annotateKey({ description: "The code of the first error" }),
  durationMillis: Schema.Int,
  warnings: Schema.Array(Schema.String),
  requestBody: Schema.NullOr(Schema.String).annotateKey({
    description: "Its beginning, without secrets; null in a live account"
  }),
  responseBody: Schema.NullOr(Schema.String)
}).annotate({ identifier: "LoggedRequest" })

/** The routes. */
export class RequestsGroup extends HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("list", "/accounts/:accountId/requests", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byTime }, "-time"),
        ...timeRange,
        keyId: anyOf(id),
        method: anyOf(Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])),
        route: anyOf(textUpTo(300), "The template, such as `/api/v1/contacts/:reference`"),
        status: anyOf(Schema.Int.annotate({ minimum: 100, maximum: 599 })),
        code: anyOf(textUpTo(100)),
        q: search("A whole request id", 128)
      },
      success: envelope(listOf(RequestShape))
    }).annotate(OpenApi.Summary, "List the calls of the public API"),
    HttpApiEndpoint.get("usage", "/accounts/:accountId/usage", {
      params: accountPath,
      success: envelope(
        Schema.Struct({
          contacts: Schema.Int,
          emailsToday: Schema.Int.annotate({
            description: "Emails of this day in UTC, which `dailySendLimit` limits"
          }),
          limits: Schema.Struct({
            contactLimit: Schema.NullOr(Schema.Number),
            dailySendLimit: Schema.NullOr(Schema.Number),
            rateLimitPerMinute: Schema.Number
          })
        })
      )
    }).annotate(OpenApi.Summary, "Show what the account uses of its limits")
  )
  .annotate(OpenApi.Title, "Requests and usage")
  .pipe(
    requiring({
      list: "requests:read",
      usage: "company:read"
    })
  ) {}
