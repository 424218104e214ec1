/**
 * Defines the endpoints of personal tokens, and of devices that obtain one.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { envelope } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { confirmed, requiring } from "../Requirements.ts"

const nullableText = Schema.NullOr(Schema.String)
const rights = Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
  description: "Null for the rights that the user has at the time of a call"
})

const IssuedPersonalTokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  token: Schema.String,
  display: Schema.String,
  rights,
  accounts: Schema.Null,
  expiresAt: nullableText
}).annotate({ identifier: "IssuedPersonalToken" })

const PersonalTokenShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  display: Schema.String,
  rights,
  accounts: Schema.Null,
  expiresAt: nullableText,
  createdAt: Schema.String,
  lastUsedAt: nullableText,
  lastUsedNetwork: nullableText,
  revokedAt: nullableText
}).annotate({ identifier: "PersonalToken" })

/** The routes of a user's tokens. */
export class PersonalTokensGroup extends HttpApiGroup.make("personalTokens")
  .add(
    HttpApiEndpoint.post("create", "/me/tokens", {
      payload: Schema.Struct({
        name: Schema.String,
        rights: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
        expiresInDays: Schema.NullOr(Schema.Number)
      }),
      success: envelope(IssuedPersonalTokenShape)
    }),
    HttpApiEndpoint.get("list", "/me/tokens", {
      query: listing(byTime),
      success: envelope(listOf(PersonalTokenShape))
    }),
    HttpApiEndpoint.delete("revoke", "/me/tokens/:id", { params: { id }, success: envelope(Schema.Null) })
  )
  .pipe(requiring({ create: confirmed("Session"), list: "Session", revoke: "Session" })) {}

/** The routes with which a program on another device signs in (RFC 8628). */
export class DeviceGroup extends HttpApiGroup.make("device")
  .add(
    HttpApiEndpoint.post("begin", "/device", {
      success: envelope(
        Schema.Struct({
          deviceCode: Schema.String,
          userCode: Schema.String.annotateKey({ description: "For the user to type at `verificationUrl`" }),
          verificationUrl: Schema.String,
          expiresIn: Schema.Int.annotateKey({ description: "Seconds" }),
          interval: Schema.Int.annotateKey({ description: "Seconds between two calls of `/device/token`" })
        }).annotate({ identifier: "WaitingDevice" })
      )
    }),
    HttpApiEndpoint.post("token", "/device/token", {
      payload: Schema.Struct({ deviceCode: Schema.String }),
      success: envelope(Schema.Struct({ token: Schema.String }))
    }),
    HttpApiEndpoint.post("confirm", "/device/confirm", {
      payload: Schema.Struct({ userCode: Schema.String }),
      success: envelope(Schema.Null)
    })
  )
  .pipe(requiring({ begin: "Anyone", token: "Anyone", confirm: confirmed("Session") })) {}
