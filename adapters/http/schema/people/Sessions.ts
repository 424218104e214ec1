/**
 * Defines the endpoints with which users sign in and change their own accounts.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { byTime, listing, listOf } from "../Lists.ts"
import { envelope, maybe } from "../Envelope.ts"
import { confirmed, requiring } from "../Requirements.ts"
import { id } from "../Fields.ts"

const nullableText = Schema.NullOr(Schema.String)

const OwnUserShape = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  name: nullableText,
  language: nullableText,
  timeZone: nullableText,
  factors: Schema.Array(Schema.String)
}).annotate({ identifier: "OwnUser" })

const SignedInShape = Schema.Struct({
  user: Schema.NullOr(OwnUserShape),
  needs: Schema.NullOr(Schema.Literals(["Code", "Factor"]))
}).annotate({ identifier: "SignedIn" })

const SessionShape = Schema.Struct({
  user: OwnUserShape,
  operator: Schema.Boolean,
  memberships: Schema.Array(
    Schema.Struct({
      company: Schema.Struct({ id: Schema.String, name: Schema.String }),
      role: Schema.String,
      liveAccess: Schema.Boolean,
      rights: Schema.Struct({ live: Schema.Array(Schema.String), sandbox: Schema.Array(Schema.String) })
    })
  ),
  needs: Schema.NullOr(Schema.Literal("Factor")),
  confirmedUntil: Schema.String
}).annotate({ identifier: "Session" })

const OpenSessionShape = Schema.Struct({
  id: Schema.String,
  current: Schema.Boolean,
  network: Schema.String,
  userAgent: nullableText,
  createdAt: Schema.String,
  lastUsedAt: Schema.String,
  expiresAt: Schema.String
}).annotate({ identifier: "OpenSession" })

const jsonObject = Schema.Record(Schema.String, Schema.Json)

/** The response of a passkey, as browsers encode it: `PublicKeyCredential.toJSON()`. */
const PasskeyResponse = Schema.Struct({
  id: Schema.String,
  rawId: Schema.String,
  type: Schema.String,
  response: jsonObject,
  clientExtensionResults: maybe(jsonObject),
  authenticatorAttachment: maybe(Schema.String)
}).annotate({ identifier: "PasskeyResponse" })

const PasskeyShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  createdAt: Schema.String,
  lastUsedAt: nullableText
}).annotate({ identifier: "Passkey" })

const creationOptions = jsonObject.annotate({ description: "`PublicKeyCredentialCreationOptionsJSON`" })

/** The routes of signing in and out. */
export class SessionGroup extends HttpApiGroup.make("session")
  .add(
    HttpApiEndpoint.post("start", "/session/start", {
      payload: Schema.Struct({ email: Schema.String }),
      success: envelope(
        Schema.Struct({
          methods: Schema.Array(Schema.Struct({ kind: Schema.String, id: nullableText, name: nullableText }))
        })
      )
    }),
    HttpApiEndpoint.post("password", "/session/password", {
      payload: Schema.Struct({ email: Schema.String, password: Schema.String, code: maybe(Schema.String) }),
      success: envelope(SignedInShape)
    }),
    HttpApiEndpoint.post("passkeyOptions", "/session/passkey/options", {
      success: envelope(jsonObject.annotate({ description: "`PublicKeyCredentialRequestOptionsJSON`" }))
    }),
    HttpApiEndpoint.post("passkey", "/session/passkey", {
      payload: PasskeyResponse,
      success: envelope(SignedInShape)
    }),
    HttpApiEndpoint.get("get", "/session", { success: envelope(SessionShape) }),
    HttpApiEndpoint.post("confirm", "/session/confirm", {
      payload: Schema.Struct({
        password: maybe(Schema.String),
        code: maybe(Schema.String),
        passkey: maybe(PasskeyResponse)
      }),
      success: envelope(Schema.Struct({ confirmedUntil: Schema.String }))
    }),
    HttpApiEndpoint.delete("signOut", "/session", { success: envelope(Schema.Null) }),
    HttpApiEndpoint.delete("signOutEverywhere", "/sessions", { success: envelope(Schema.Null) }),
    HttpApiEndpoint.post("welcome", "/welcome", {
      payload: Schema.Struct({ token: Schema.String }),
      success: envelope(
        Schema.Struct({
          kind: Schema.Literals(["Invitation", "FirstStart", "Reset"]),
          email: nullableText,
          name: nullableText,
          company: Schema.NullOr(Schema.Struct({ id: Schema.String, name: Schema.String }))
        }).annotate({ identifier: "Welcome" })
      )
    }),
    HttpApiEndpoint.post("welcomePasskey", "/welcome/passkey-options", {
      payload: Schema.Struct({
        token: Schema.String,
        email: maybe(Schema.String),
        name: maybe(Schema.String)
      }),
      success: envelope(creationOptions)
    }),
    HttpApiEndpoint.post("complete", "/welcome/complete", {
      payload: Schema.Struct({
        token: Schema.String,
        email: maybe(Schema.String),
        name: maybe(Schema.String),
        password: maybe(Schema.String),
        passkey: maybe(PasskeyResponse),
        code: maybe(Schema.String)
      }),
      success: envelope(SignedInShape)
    }),
    HttpApiEndpoint.post("reset", "/password-resets", {
      payload: Schema.Struct({ email: Schema.String }),
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      start: "Anyone",
      password: "Anyone",
      passkeyOptions: "Anyone",
      passkey: "Anyone",
      get: "Session",
      confirm: "Session",
      signOut: "Session",
      signOutEverywhere: "Session",
      welcome: "Anyone",
      welcomePasskey: "Anyone",
      complete: "Anyone",
      reset: "Anyone"
    })
  ) {}

/** The routes of a user's own account. */
export class OwnAccountGroup extends HttpApiGroup.make("ownAccount")
  .add(
    HttpApiEndpoint.get("get", "/me", { success: envelope(OwnUserShape) }),
    HttpApiEndpoint.patch("change", "/me", {
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        language: maybe(Schema.String),
        timeZone: maybe(Schema.String),
        password: Schema.optionalKey(Schema.String)
      }),
      success: envelope(OwnUserShape)
    }),
    HttpApiEndpoint.get("totp", "/me/totp", {
      success: envelope(Schema.Struct({ confirmedAt: nullableText, recoveryCodesLeft: Schema.Int }))
    }),
    HttpApiEndpoint.post("addTotp", "/me/totp", {
      payload: Schema.Struct({ code: maybe(Schema.String) }),
      success: envelope(
        Schema.Struct({
          secret: nullableText,
          url: nullableText,
          qr: nullableText.annotateKey({ description: "The URL as a QR code, SVG" }),
          recoveryCodes: Schema.NullOr(Schema.Array(Schema.String))
        }).annotate({ identifier: "TotpSetup" })
      )
    }),
    HttpApiEndpoint.delete("removeTotp", "/me/totp", { success: envelope(Schema.Null) }),
    HttpApiEndpoint.get("recoveryCodes", "/me/recovery-codes", {
      success: envelope(Schema.Struct({ left: Schema.Int }))
    }),
    HttpApiEndpoint.post("renewRecoveryCodes", "/me/recovery-codes", {
      success: envelope(Schema.Struct({ recoveryCodes: Schema.Array(Schema.String) }))
    }),
    HttpApiEndpoint.get("passkeys", "/me/passkeys", { success: envelope(Schema.Array(PasskeyShape)) }),
    HttpApiEndpoint.post("addPasskey", "/me/passkeys", {
      payload: Schema.Struct({ name: maybe(Schema.String), passkey: maybe(PasskeyResponse) }),
      success: envelope(
        Schema.Struct({
          options: Schema.NullOr(creationOptions).annotateKey({
            description: "For a call without `passkey`: what the browser needs to make one"
          }),
          passkey: Schema.NullOr(PasskeyShape)
        }).annotate({ identifier: "PasskeySetup" })
      )
    }),
    HttpApiEndpoint.patch("renamePasskey", "/me/passkeys/:id", {
      params: { id },
      payload: Schema.Struct({ name: Schema.String }),
      success: envelope(PasskeyShape)
    }),
    HttpApiEndpoint.delete("removePasskey", "/me/passkeys/:id", {
      params: { id },
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.get("sessions", "/me/sessions", {
      query: listing(byTime),
      success: envelope(listOf(OpenSessionShape))
    }),
    HttpApiEndpoint.delete("endSession", "/me/sessions/:id", {
      params: { id },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      get: "Session",
      change: "Session",
      totp: "Session",
      addTotp: confirmed("Session"),
      removeTotp: confirmed("Session"),
      recoveryCodes: "Session",
      renewRecoveryCodes: confirmed("Session"),
      passkeys: "Session",
      addPasskey: confirmed("Session"),
      renamePasskey: "Session",
      removePasskey: confirmed("Session"),
      sessions: "Session",
      endSession: "Session"
    })
  ) {}
