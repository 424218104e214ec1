/**
 * Defines the endpoints of OpenID Connect providers, and those with which users sign in at a provider.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { memberRoles } from "../../../../core/model/User.ts"
import { envelope, maybe } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { companyPath } from "../management/Path.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"

const IdentityProviderShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  issuer: Schema.String,
  clientId: Schema.String,
  emailDomains: Schema.Array(Schema.String),
  defaultRole: Schema.NullOr(Schema.Literals(memberRoles)),
  required: Schema.Boolean,
  redirectUri: Schema.String.annotateKey({ description: "To register at the provider" }),
  createdAt: Schema.String
}).annotate({ identifier: "IdentityProvider" })

const newProvider = Schema.Struct({
  name: Schema.String,
  issuer: Schema.String,
  clientId: Schema.String,
  clientSecret: Schema.String,
  emailDomains: Schema.optionalKey(Schema.Array(Schema.String)),
  defaultRole: maybe(Schema.String),
  required: Schema.optionalKey(Schema.Boolean)
})

/** The routes of the installation's providers. */
export class IdentityProvidersGroup extends HttpApiGroup.make("identityProviders")
  .add(
    HttpApiEndpoint.post("create", "/identity-providers", {
      payload: newProvider,
      success: envelope(IdentityProviderShape)
    }),
    HttpApiEndpoint.get("list", "/identity-providers", {
      query: listing(byTime),
      success: envelope(listOf(IdentityProviderShape))
    }),
    HttpApiEndpoint.delete("remove", "/identity-providers/:id", {
      params: { id },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      create: confirmed("users:operate"),
      list: unconfirmed("users:operate"),
      remove: confirmed("users:operate")
    })
  ) {}

/** The routes of a company's providers. */
export class CompanyProvidersGroup extends HttpApiGroup.make("companyProviders")
  .add(
    HttpApiEndpoint.post("create", "/companies/:companyId/identity-providers", {
      params: companyPath,
      payload: newProvider,
      success: envelope(IdentityProviderShape)
    }),
    HttpApiEndpoint.get("list", "/companies/:companyId/identity-providers", {
      params: companyPath,
      query: listing(byTime),
      success: envelope(listOf(IdentityProviderShape))
    }),
    HttpApiEndpoint.delete("remove", "/companies/:companyId/identity-providers/:id", {
      params: { ...companyPath, id },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      create: confirmed("members:write"),
      list: unconfirmed("members:write"),
      remove: confirmed("members:write")
    })
  ) {}

/** The routes that redirect browsers to a provider, and to which they return. */
export class ProviderSignInGroup extends HttpApiGroup.make("providerSignIn")
  .add(
    HttpApiEndpoint.get("begin", "/session/provider/:id", {
      params: { id },
      success: HttpApiSchema.Empty(302)
    }),
    HttpApiEndpoint.get("finish", "/session/provider/:id/callback", {
      params: { id },
      query: {
        code: Schema.optionalKey(Schema.String),
        state: Schema.optionalKey(Schema.String),
        iss: Schema.optionalKey(Schema.String),
        error: Schema.optionalKey(Schema.String)
      },
      success: HttpApiSchema.Empty(302)
    })
  )
  .pipe(requiring({ begin: "Anyone", finish: "Anyone" })) {}
