/**
 * Defines the management endpoints of API keys.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { envelope } from "../Envelope.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const IssuedKeyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  key: Schema.String,
  permissions: Schema.Array(Schema.String),
  expiresAt: nullableText
}).annotate({ identifier: "IssuedApiKey" })

const ApiKeyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  display: Schema.String,
  permissions: Schema.Array(Schema.String),
  expiresAt: nullableText,
  lastUsedAt: nullableText,
  revokedAt: nullableText
}).annotate({ identifier: "ApiKey" })

/** The routes of API keys. */
export class ApiKeysGroup extends HttpApiGroup.make("apiKeys")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/api-keys", {
      params: accountPath,
      payload: Schema.Struct({
        name: Schema.String,
        permissions: Schema.Array(Schema.String),
        expiresInDays: Schema.NullOr(Schema.Number)
      }),
      success: envelope(IssuedKeyShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/api-keys", {
      params: accountPath,
      success: envelope(Schema.Array(ApiKeyShape))
    }),
    HttpApiEndpoint.delete("revoke", "/accounts/:accountId/api-keys/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    })
  )
  .annotate(OpenApi.Title, "API keys")
  .pipe(
    requiring({
      create: confirmed("keys:write"),
      list: "keys:read",
      revoke: unconfirmed("keys:write")
    })
  ) {}
