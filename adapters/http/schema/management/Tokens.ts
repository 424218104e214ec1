/**
 * Defines the management endpoints of the tokens of the installation and of companies, and of the installation's secrets.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { tokenAccounts } from "../../../../core/model/Token.ts"
import { id } from "../Fields.ts"
import { envelope } from "../Envelope.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { companyPath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

const IssuedTokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  token: Schema.String,
  display: Schema.String,
  rights: Schema.Array(Schema.String),
  accounts: Schema.NullOr(Schema.Literals(tokenAccounts)),
  expiresAt: nullableText
}).annotate({ identifier: "IssuedToken" })

const TokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  display: Schema.String,
  rights: Schema.Array(Schema.String),
  accounts: Schema.NullOr(Schema.Literals(tokenAccounts)),
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
    description: "Number of secrets that were encrypted with the previous secret key"
  }),
  unreadable: Schema.Int.annotateKey({ description: "Number of secrets that neither secret key can decrypt" })
}).annotate({ identifier: "SecretRotation" })

/** A request for a token. */
const newToken = {
  name: Schema.String,
  rights: Schema.Array(Schema.String),
  expiresInDays: Schema.NullOr(Schema.Number)
}

/** The routes of installation tokens. */
export class TokensGroup extends HttpApiGroup.make("tokens")
  .add(
    HttpApiEndpoint.post("create", "/tokens", {
      payload: Schema.Struct(newToken),
      success: envelope(IssuedTokenShape)
    }),
    HttpApiEndpoint.get("list", "/tokens", { query: listing(byTime), success: envelope(listOf(TokenShape)) }),
    HttpApiEndpoint.delete("revoke", "/tokens/:id", {
      params: { id },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      create: confirmed("users:operate"),
      list: unconfirmed("users:operate"),
      revoke: unconfirmed("users:operate")
    })
  ) {}

/** The routes of a company's tokens. */
export class CompanyTokensGroup extends HttpApiGroup.make("companyTokens")
  .add(
    HttpApiEndpoint.post("create", "/companies/:companyId/tokens", {
      params: companyPath,
      payload: Schema.Struct({ ...newToken, accounts: Schema.optionalKey(Schema.Literals(tokenAccounts)) }),
      success: envelope(IssuedTokenShape)
    }),
    HttpApiEndpoint.get("list", "/companies/:companyId/tokens", {
      params: companyPath,
      query: listing(byTime),
      success: envelope(listOf(TokenShape))
    }),
    HttpApiEndpoint.delete("revoke", "/companies/:companyId/tokens/:id", {
      params: { ...companyPath, id },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      create: confirmed("tokens:write"),
      list: unconfirmed("tokens:write"),
      revoke: unconfirmed("tokens:write")
    })
  ) {}

/** The routes of the installation's secrets. */
export class SecretsGroup extends HttpApiGroup.make("secrets")
  .add(HttpApiEndpoint.post("rotate", "/secrets/rotate", { success: envelope(RotationShape) }))
  .pipe(
    requiring({
      rotate: "installation:operate"
    })
  ) {}
