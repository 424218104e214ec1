/**
 * Defines the management endpoints of sources and pools, the IP addresses from which mail is sent.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { sourceModes, sourceReasons, sourceStates } from "../../../../core/model/Source.ts"
import { sourceLimits } from "../../../../core/sending/sources/Sources.ts"
import { warmUpDays } from "../../../../core/sending/sources/WarmUpRules.ts"
import { envelope } from "../Envelope.ts"
import { id, textUpTo } from "../Fields.ts"
import { byTime, listing, listOf, sortedListing } from "../Lists.ts"
import { requiring } from "../Requirements.ts"

const nullableText = Schema.NullOr(Schema.String)
const optionalText = Schema.optionalKey(nullableText)

const SourceShape = Schema.Struct({
  id: Schema.String,
  address: Schema.String,
  name: nullableText.annotateKey({
    description: "Host name in EHLO; null for the mail host name of the installation"
  }),
  pool: Schema.String,
  state: Schema.Literals(sourceStates),
  reason: Schema.NullOr(Schema.Literals(sourceReasons)).annotateKey({ description: "Why it is `Unready`" }),
  force: Schema.Boolean.annotateKey({ description: "Whether it sends without a confirmed PTR record" }),
  hosts: Schema.Array(Schema.String).annotateKey({ description: "The machines that have its address" }),
  ptr: Schema.NullOr(
    Schema.Struct({
      wanted: Schema.String.annotateKey({ description: "The name that the PTR record must have" }),
      names: Schema.Array(Schema.String),
      confirmed: Schema.Boolean.annotateKey({
        description: "Whether the wanted name is one of them, and leads back to the address"
      }),
      checkedAt: Schema.String
    })
  ),
  spfMissing: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description:
      "The sending domains whose SPF record does not let it pass, of accounts whose mail may leave from it; null in lists, and where it was not looked up. At most 500 domains are looked up"
  }),
  warmUp: Schema.NullOr(
    Schema.Struct({
      day: Schema.Int.annotateKey({ description: "The day of the plan" }),
      days: Schema.Int.annotateKey({ description: "Number of days in the plan" }),
      startedAt: Schema.String,
      movedBackAt: nullableText.annotateKey({
        description: "When a block, or a month without mail, last moved the plan back"
      })
    })
  ),
  sentToday: Schema.Int.annotateKey({ description: "The messages that left since midnight, UTC" }),
  capToday: Schema.NullOr(Schema.Int).annotateKey({
    description: "The most of them while it is warmed up; transactional mail may exceed it"
  }),
  today: Schema.Array(
    Schema.Struct({
      group: Schema.String.annotateKey({ description: "A group of providers" }),
      cap: Schema.NullOr(Schema.Int),
      sent: Schema.Int,
      deferred: Schema.Int.annotateKey({ description: "Deferred because of the rate" }),
      policy: Schema.Int.annotateKey({ description: "Refused by policy" }),
      bounced: Schema.Int,
      complained: Schema.Int
    })
  ),
  createdAt: Schema.String
}).annotate({ identifier: "Source" })

const PoolShape = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  overflow: nullableText.annotateKey({
    description: "The pool that takes mail for which no source of this one may be used"
  }),
  sources: Schema.Int
}).annotate({ identifier: "Pool" })

const name = Schema.optionalKey(nullableText)
const force = Schema.optionalKey(Schema.Boolean)
const text = textUpTo(sourceLimits.name)

/** The routes of sources. */
export class SourcesGroup extends HttpApiGroup.make("sources")
  .add(
    HttpApiEndpoint.post("create", "/sources", {
      payload: Schema.Struct({
        address: Schema.String,
        name,
        pool: Schema.optionalKey(Schema.String),
        force
      }),
      success: envelope(SourceShape)
    }).annotate(OpenApi.Summary, "Add an address that mail leaves from, and check its PTR and SPF records"),
    HttpApiEndpoint.get("list", "/sources", {
      query: listing(byTime),
      success: envelope(listOf(SourceShape))
    }),
    HttpApiEndpoint.get("spf", "/sources/spf", {
      success: envelope(
        Schema.Struct({
          record: Schema.NullOr(Schema.Struct({ name: Schema.String, value: Schema.String }))
        })
      )
    }).annotate(OpenApi.Summary, "Show the SPF record that lists all sources; null without any"),
    HttpApiEndpoint.get("plan", "/sources/plan", {
      success: envelope(
        Schema.Struct({
          groups: Schema.Array(Schema.String).annotateKey({ description: "The groups of providers" }),
          caps: Schema.Array(Schema.Int).annotateKey({
            description: "The most messages to each group, by the days of the plan"
          })
        })
      )
    }).annotate(OpenApi.Summary, "Show the plan of warm-ups: how much an address sends on each day"),
    HttpApiEndpoint.get("get", "/sources/:id", { params: { id }, success: envelope(SourceShape) }),
    HttpApiEndpoint.patch("change", "/sources/:id", {
      params: { id },
      payload: Schema.Struct({
        name,
        pool: Schema.optionalKey(Schema.String),
        state: Schema.optionalKey(Schema.Literals(sourceModes)),
        force
      }),
      success: envelope(SourceShape)
    }).annotate(OpenApi.Summary, "Change a source; what is left out stays"),
    HttpApiEndpoint.delete("remove", "/sources/:id", { params: { id }, success: envelope(Schema.Null) }),
    HttpApiEndpoint.post("check", "/sources/:id/check", {
      params: { id },
      success: envelope(SourceShape)
    }).annotate(
      OpenApi.Summary,
      "Check the PTR record of a source now, and the SPF records that should list it"
    ),
    HttpApiEndpoint.post("warmUp", "/sources/:id/warm-up", {
      params: { id },
      payload: Schema.Struct({
        day: Schema.NullOr(Schema.Int).annotateKey({
          description: `The day of the plan to begin at, 1 to ${warmUpDays}; null ends the warm-up`
        })
      }),
      success: envelope(SourceShape)
    }).annotate(OpenApi.Summary, "Begin or end the warm-up of a source"),
    HttpApiEndpoint.post("pause", "/sources/:id/pause", { params: { id }, success: envelope(SourceShape) }),
    HttpApiEndpoint.post("activate", "/sources/:id/activate", {
      params: { id },
      success: envelope(SourceShape)
    })
  )
  .pipe(
    requiring({
      create: "installation:operate",
      list: "installation:read",
      spf: "installation:read",
      plan: "installation:read",
      get: "installation:read",
      change: "installation:operate",
      remove: "installation:operate",
      check: "installation:operate",
      warmUp: "installation:operate",
      pause: "installation:operate",
      activate: "installation:operate"
    })
  ) {}

const key = { key: Schema.String }

/** The routes of pools. */
export class PoolsGroup extends HttpApiGroup.make("pools")
  .add(
    HttpApiEndpoint.post("create", "/pools", {
      payload: Schema.Struct({ ...key, name: text, overflow: optionalText }),
      success: envelope(PoolShape)
    }),
    HttpApiEndpoint.get("list", "/pools", {
      query: sortedListing({ key: ["Text"] }, "key"),
      success: envelope(listOf(PoolShape))
    }),
    HttpApiEndpoint.patch("change", "/pools/:key", {
      params: key,
      payload: Schema.Struct({ name: Schema.optionalKey(text), overflow: optionalText }),
      success: envelope(PoolShape)
    }).annotate(OpenApi.Summary, "Change a pool; what is left out stays"),
    HttpApiEndpoint.delete("remove", "/pools/:key", { params: key, success: envelope(Schema.Null) })
  )
  .pipe(
    requiring({
      create: "installation:operate",
      list: "installation:read",
      change: "installation:operate",
      remove: "installation:operate"
    })
  ) {}
