/**
 * Defines the management endpoints of relays, of the installation and of companies.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  relayKinds,
  relayStateReasons,
  relayStates,
  relaySteps,
  relayStreams
} from "../../../../core/model/MailRelay.ts"
import { relayLimits } from "../../../../core/sending/relays/RelayRules.ts"
import { envelope, maybe } from "../Envelope.ts"
import { id, textUpTo } from "../Fields.ts"
import { byTime, listing, listOf } from "../Lists.ts"
import { companyPath } from "../management/Path.ts"
import { requiring } from "../Requirements.ts"

const nullableText = Schema.NullOr(Schema.String)
const streams = Schema.Array(Schema.Literals(relayStreams))
const isSet = { description: "Whether it is set" }

/** The `feedback` of a response. Its fields depend on the kind of relay. */
const ShownFeedback = Schema.Struct({
  topicArn: Schema.optionalKey(nullableText),
  configurationSet: Schema.optionalKey(nullableText),
  publicKey: Schema.optionalKey(nullableText),
  signingKey: Schema.optionalKey(Schema.Boolean.annotateKey(isSet)),
  secret: Schema.optionalKey(Schema.Boolean.annotateKey(isSet)),
  username: Schema.optionalKey(nullableText),
  password: Schema.optionalKey(Schema.Boolean.annotateKey(isSet))
})

const RelayShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(relayKinds),
  url: Schema.String.annotateKey({ description: "With `***` in place of its password" }),
  streams,
  maxPerSecond: Schema.NullOr(Schema.Int),
  dailyLimit: Schema.NullOr(Schema.Int),
  shared: Schema.Boolean.annotateKey({
    description: "Whether companies may use it; false for a company's own"
  }),
  feedback: ShownFeedback,
  state: Schema.Literals(relayStates),
  stateReason: Schema.NullOr(Schema.Literals(relayStateReasons)),
  words: nullableText.annotateKey({ description: "Reply of the relay when it failed" }),
  lastRefusal: Schema.NullOr(Schema.Struct({ at: Schema.String, words: nullableText })).annotateKey({
    description:
      "When it last refused the whole account, as for its quota or a suspension, and what it replied"
  }),
  feedbackUrl: nullableText.annotateKey({
    description: "URL to which the provider sends its reports; null for the kind Smtp, which has none"
  }),
  lastReportAt: nullableText,
  unreported: Schema.NullOr(
    Schema.Struct({
      share: Schema.Number.annotateKey({ description: "From 0 to 1" }),
      messages: Schema.Int.annotateKey({ description: "Number of messages that were examined" }),
      isHigh: Schema.Boolean.annotateKey({
        description: "Whether it is so much that reports are likely not set up as they have to be"
      })
    })
  ).annotateKey({
    description:
      "How much of the latest 200 messages that it accepted more than 24 hours ago it never reported on; null for the kind Smtp, and where there are none of a week"
  }),
  createdAt: Schema.String
}).annotate({ identifier: "Relay" })

const GivenFeedback = Schema.Struct({
  topicArn: maybe(Schema.String),
  configurationSet: maybe(Schema.String),
  publicKey: maybe(Schema.String),
  signingKey: maybe(Schema.String),
  secret: maybe(Schema.String),
  username: maybe(Schema.String),
  password: maybe(Schema.String)
})

const changes = {
  streams: maybe(streams),
  maxPerSecond: maybe(Schema.Int.annotate({ minimum: 1, maximum: relayLimits.maxPerSecond })),
  dailyLimit: maybe(Schema.Int.annotate({ minimum: 1, maximum: relayLimits.dailyLimit })),
  feedback: maybe(GivenFeedback)
}
const named = {
  name: textUpTo(relayLimits.name),
  url: Schema.String.annotate({ description: "`smtp://` or `smtps://[user:password@]host[:port]`" })
}
const renamed = { name: Schema.optionalKey(named.name), url: Schema.optionalKey(named.url) }
const shared = { shared: maybe(Schema.Boolean) }
const kind = { kind: Schema.Literals(relayKinds) }

const CheckShape = Schema.Struct({
  ok: Schema.Boolean,
  steps: Schema.Array(
    Schema.Struct({
      step: Schema.Literals(relaySteps),
      ok: Schema.Boolean,
      words: Schema.String.annotateKey({ description: "Reply of the relay, or why there was none" }),
      ms: Schema.Int
    })
  )
}).annotate({ identifier: "RelayCheck" })

/** The routes of the installation's relays. */
export class RelaysGroup extends HttpApiGroup.make("relays")
  .add(
    HttpApiEndpoint.post("create", "/relays", {
      payload: Schema.Struct({ ...kind, ...named, ...changes, ...shared }),
      success: envelope(RelayShape)
    }),
    HttpApiEndpoint.get("list", "/relays", {
      query: listing(byTime),
      success: envelope(listOf(RelayShape))
    }),
    HttpApiEndpoint.get("get", "/relays/:id", { params: { id }, success: envelope(RelayShape) }),
    HttpApiEndpoint.patch("change", "/relays/:id", {
      params: { id },
      payload: Schema.Struct({ ...renamed, ...changes, ...shared }),
      success: envelope(RelayShape)
    }).annotate(OpenApi.Summary, "Change a relay; what is left out stays, secrets included"),
    HttpApiEndpoint.delete("remove", "/relays/:id", { params: { id }, success: envelope(Schema.Null) }),
    HttpApiEndpoint.post("check", "/relays/:id/check", {
      params: { id },
      success: envelope(CheckShape)
    }).annotate(OpenApi.Summary, "Connect and authenticate, and send nothing")
  )
  .pipe(
    requiring({
      create: "installation:operate",
      list: "installation:read",
      get: "installation:read",
      change: "installation:operate",
      remove: "installation:operate",
      check: "installation:operate"
    })
  ) {}

/** A relay of the installation as companies see it. */
const SharedRelayShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.Literals(relayKinds),
  streams,
  state: Schema.Literals(relayStates)
}).annotate({ identifier: "SharedRelay" })

const relayPath = { ...companyPath, id }

/** The routes of a company's relays. */
export class CompanyRelaysGroup extends HttpApiGroup.make("companyRelays")
  .add(
    HttpApiEndpoint.post("create", "/companies/:companyId/relays", {
      params: companyPath,
      payload: Schema.Struct({ ...kind, ...named, ...changes }),
      success: envelope(RelayShape)
    }),
    HttpApiEndpoint.get("list", "/companies/:companyId/relays", {
      params: companyPath,
      query: listing(byTime),
      success: envelope(listOf(RelayShape))
    }),
    HttpApiEndpoint.get("shared", "/companies/:companyId/shared-relays", {
      params: companyPath,
      success: envelope(Schema.Struct({ items: Schema.Array(SharedRelayShape) }))
    }).annotate(OpenApi.Summary, "List the installation's relays that the company may use"),
    HttpApiEndpoint.get("get", "/companies/:companyId/relays/:id", {
      params: relayPath,
      success: envelope(RelayShape)
    }),
    HttpApiEndpoint.patch("change", "/companies/:companyId/relays/:id", {
      params: relayPath,
      payload: Schema.Struct({ ...renamed, ...changes }),
      success: envelope(RelayShape)
    }).annotate(OpenApi.Summary, "Change a relay; what is left out stays, secrets included"),
    HttpApiEndpoint.delete("remove", "/companies/:companyId/relays/:id", {
      params: relayPath,
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.post("check", "/companies/:companyId/relays/:id/check", {
      params: relayPath,
      success: envelope(CheckShape)
    }).annotate(OpenApi.Summary, "Connect and authenticate, and send nothing")
  )
  .pipe(
    requiring({
      create: "relays:write",
      list: "relays:read",
      shared: "relays:read",
      get: "relays:read",
      change: "relays:write",
      remove: "relays:write",
      check: "relays:write"
    })
  ) {}
