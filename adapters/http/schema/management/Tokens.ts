/**
 * Defines the management endpoints of installation tokens, and of the installation's secrets.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { id } from "../Fields.ts"
import { EndpointGuard, envelope, managementOnly } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"

const nullableText = Schema.NullOr(Schema.String)

const IssuedTokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  token: Schema.String,
  display: Schema.String,
  rights: Schema.Array(Schema.String),
  accounts: Schema.Null,
  expiresAt: nullableText
}).annotate({ identifier: "IssuedToken" })

const TokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  display: Schema.String,
  rights: Schema.Array(Schema.String),
  accounts: Schema.Null,
  expiresAt: nullableText,
  createdAt: Schema.String,
  lastUsedAt: nullableText,
  lastUsedNetwork: nullableText,
  revokedAt: nullableText
}).annotate({ identifier: "Token" })

const RotationShape = Schema.Struct({
  linksAcceptedUntil: Schema.String.annotateKey({
    description: "Until when links signed before the rotation are accepted"
  }),
  resealed: Schema.Int.annotateKey({
    description: "How many secrets the previous secret key had sealed"
  }),
  unreadable: Schema.Int.annotateKey({ description: "How many secrets neither secret key opens" })
}).annotate({ identifier: "SecretRotation" })

/** The routes of installation tokens. */
export class TokensGroup extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("create", "/tokens", {
      payload: Schema.Struct({
        name: Schema.String,
        rights: Schema.Array(Schema.String),
        expiresInDays: Schema.NullOr(Schema.Number)
      }),
      success: envelope(IssuedTokenShape)
    }),
    HttpApiEndpoint.get("list", "/tokens", { query: listing(byTime), success: envelope(listOf(TokenShape)) }),
    HttpApiEndpoint.delete("revoke", "/tokens/:id", {
      params: { id },
      success: envelope(Schema.Null)
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The routes of the installation's secrets. */
export class SecretsGroup extends HttpApiGroup.make("secrets")
  .add(HttpApiEndpoint.post("rotate", "/secrets/rotate", { success: envelope(RotationShape) }))
  .annotateEndpoints(EndpointGuard, managementOnly) {}
