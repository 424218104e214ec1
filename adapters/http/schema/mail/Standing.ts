/**
 * Defines the management endpoints of the standing of accounts.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { rateKinds, standingStates } from "../../../../core/model/Standing.ts"
import { maxObservations } from "../../../../core/sending/standing/ObservationRules.ts"
import { answerActions, answerScopes } from "../../../../core/model/Answer.ts"
import { envelope } from "../Envelope.ts"
import { anyOf, byTime, listing, listOf } from "../Lists.ts"
import { accountPath } from "../management/Path.ts"
import { requiring, unconfirmed } from "../Requirements.ts"

const ObservationShape = Schema.Struct({
  provider: Schema.String,
  domain: Schema.String,
  day: Schema.String,
  spamRate: Schema.Number
})

const rate = Schema.NullOr(Schema.Number)

const dayCounts = {
  handed: Schema.Int,
  delivered: Schema.Int,
  policy: Schema.Int,
  bounced: Schema.Int,
  complained: Schema.Int
}

const counts = {
  ...dayCounts,
  deferred: Schema.Int,
  mailboxFull: Schema.Int,
  unsubscribed: Schema.Int,
  openedHuman: Schema.Int.annotateKey({ description: "Emails that a person opened, as far as is known" }),
  openedMachine: Schema.Int.annotateKey({ description: "Emails that machines alone opened" }),
  clickedHuman: Schema.Int,
  clickedMachine: Schema.Int,
  bounceRate: rate,
  policyRate: rate,
  complaintRate: rate.annotateKey({ description: "Null where no complaint was reported" }),
  unsubscribeRate: rate,
  openRate: rate.annotateKey({ description: "Share of delivered emails that a person opened" }),
  clickRate: rate
}

const StandingShape = Schema.Struct({
  state: Schema.Literals(standingStates),
  reasons: Schema.Array(
    Schema.Struct({
      rate: Schema.Literals(rateKinds),
      state: Schema.Literals(["Notice", "Held"]),
      provider: Schema.NullOr(Schema.String),
      days: Schema.Int,
      value: Schema.Number,
      threshold: Schema.Number
    })
  ),
  heldAt: Schema.NullOr(Schema.String),
  heldUntil: Schema.NullOr(Schema.String).annotateKey({
    description: "When the hold ends by itself; null where an operator must lift it"
  }),
  rampLimit: Schema.NullOr(Schema.Int).annotateKey({
    description: "The most marketing emails of this day after a hold; null for no limit"
  }),
  days: Schema.Int,
  providers: Schema.Array(Schema.Struct({ key: Schema.String, name: Schema.String })).annotateKey({
    description: "The names of the providers that `reasons`, `rates` and `observations` name by their keys"
  }),
  thresholds: Schema.Array(
    Schema.Struct({ rate: Schema.Literals(rateKinds), notice: Schema.Number, held: Schema.Number })
  ),
  rates: Schema.Array(
    Schema.Struct({
      provider: Schema.String,
      domain: Schema.String,
      stream: Schema.Literals(["Transactional", "Marketing"]),
      ...counts,
      history: Schema.Array(Schema.Struct({ day: Schema.String, ...dayCounts })).annotateKey({
        description: "The days of the last 30 that have counts, the oldest first; also where `days` is less"
      })
    })
  ),
  sources: Schema.Array(
    Schema.Struct({
      source: Schema.NullOr(Schema.String).annotateKey({
        description:
          "The address that emails left from; null where the system chose it, and for those through a relay"
      }),
      ...counts
    })
  ).annotateKey({ description: "The counts of all providers and domains by the address emails left from" }),
  observations: Schema.Array(ObservationShape)
}).annotate({ identifier: "Standing" })

const AccountNoticeShape = Schema.Struct({
  id: Schema.String,
  lane: Schema.String.annotateKey({
    description:
      "The key of a provider, the addresses of a site, `relay`, or `domain:` with a recipient's domain"
  }),
  provider: Schema.NullOr(Schema.String),
  site: Schema.NullOr(Schema.String),
  scope: Schema.Literals(answerScopes),
  domain: Schema.NullOr(Schema.String).annotateKey({
    description: "The sending domain; null where all mail is held"
  }),
  action: Schema.Literals(answerActions),
  words: Schema.NullOr(Schema.String).annotateKey({
    description: "Reply of the server; null if it does not concern the account"
  }),
  remedy: Schema.NullOr(Schema.String),
  help: Schema.NullOr(Schema.String).annotateKey({ description: "The provider's page for senders" }),
  since: Schema.String,
  until: Schema.String,
  resolvedAt: Schema.NullOr(Schema.String),
  held: Schema.Int.annotateKey({ description: "Number of recipients of the account whose emails it holds" }),
  state: Schema.Literals(["Open", "Resolved"])
}).annotate({ identifier: "AccountNotice" })

/** The routes of standing. */
export class StandingGroup extends HttpApiGroup.make("standing")
  .add(
    HttpApiEndpoint.get("get", "/accounts/:accountId/standing", {
      params: accountPath,
      query: {
        days: Schema.optionalKey(Schema.Int.annotate({ enum: [1, 7, 30], default: 7 }))
      },
      success: envelope(StandingShape)
    }).annotate(OpenApi.Summary, "Read how receiving servers and people take an account's mail"),
    HttpApiEndpoint.get("notices", "/accounts/:accountId/notices", {
      params: accountPath,
      query: {
        ...listing(byTime),
        state: anyOf(Schema.Literals(["Open", "Resolved"]))
      },
      success: envelope(listOf(AccountNoticeShape))
    }).annotate(OpenApi.Summary, "List what holds an account's mail at its recipients' providers"),
    HttpApiEndpoint.post("lift", "/accounts/:accountId/standing/lift", {
      params: accountPath,
      payload: Schema.Struct({ reason: Schema.String }),
      success: envelope(StandingShape)
    }).annotate(OpenApi.Summary, "Let the marketing of an account go that is held"),
    HttpApiEndpoint.post("observe", "/accounts/:accountId/standing/observations", {
      params: accountPath,
      payload: Schema.Array(
        Schema.Struct({
          ...ObservationShape.fields,
          replace: Schema.optionalKey(Schema.Boolean).annotateKey({
            description: "Whether it replaces another rate of that day"
          })
        })
      ).annotate({ description: `At most ${maxObservations}` }),
      success: envelope(Schema.Array(ObservationShape))
    }).annotate(OpenApi.Summary, "Enter rates of complaints that a provider shows to the owner of a domain")
  )
  .pipe(
    requiring({
      get: "stats:read",
      notices: "domains:read",
      lift: "installation:operate",
      observe: unconfirmed("domains:write")
    })
  ) {}
