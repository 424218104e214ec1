/**
 * Defines the management endpoints of shaping: how the service interprets the replies of mail servers.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { answerActions, answerScopes } from "../../../../core/model/Answer.ts"
import { classifiedReasons } from "../../../../core/sending/shaping/Classify.ts"
import { ruleOrigins } from "../../../../core/sending/shaping/Providers.ts"
import { sourceStates } from "../../../../core/model/Source.ts"
import { envelope } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { anyOf, byTime, listing, listOf, search, sortedListing, trueOrFalse } from "../Lists.ts"
import { requiring } from "../Requirements.ts"

/** The stages of an SMTP session whose replies are classified. */
export const classifiedStages = ["Connect", "Ehlo", "Mail", "Rcpt", "Data", "Message"] as const

const ClassificationShape = Schema.Struct({
  action: Schema.Literals(["Accept", ...answerActions]),
  scope: Schema.NullOr(Schema.Literals(answerScopes)),
  rule: Schema.String.annotateKey({ description: "The id of the rule, or the code that decided" }),
  reason: Schema.NullOr(Schema.Literals(classifiedReasons)),
  remedy: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String).annotateKey({
    description: "Source in which replies of this kind are documented or were seen"
  })
}).annotate({ identifier: "Classification" })

const nullableText = Schema.NullOr(Schema.String)

const NoticeShape = Schema.Struct({
  id: Schema.String,
  lane: Schema.String.annotateKey({
    description:
      "The key of a provider, the addresses of a site, `relay`, or `domain:` with a recipient's domain"
  }),
  provider: nullableText.annotateKey({ description: "The key of a provider; null for none of the table" }),
  site: nullableText.annotateKey({ description: "The addresses of the servers of no provider" }),
  source: nullableText.annotateKey({ description: "The address that the mail leaves from; null for all" }),
  accountId: nullableText,
  domain: nullableText.annotateKey({ description: "The sending domain; null where all mail is held" }),
  cause: Schema.Literals(["Reply", "Operator", "Unreachable"]).annotateKey({
    description:
      "Whether a reply, an operator or servers that could not be reached several times in a row began it"
  }),
  scope: Schema.Literals(answerScopes).annotateKey({
    description: "What the reply concerns; `unknown` until another email has shown it"
  }),
  code: Schema.NullOr(Schema.Int).annotateKey({ description: "The code of the server's reply" }),
  action: Schema.Literals(answerActions),
  rule: Schema.String,
  words: Schema.String.annotateKey({
    description: "Reply of the server, or the reason given by the operator"
  }),
  remedy: Schema.String,
  help: nullableText.annotateKey({ description: "The provider's page for senders" }),
  since: Schema.String,
  until: Schema.String.annotateKey({
    description: "From then on one email at a time is sent to find out whether it can end"
  }),
  resolvedAt: nullableText,
  held: Schema.Int.annotateKey({
    description: "Number of recipients whose emails it holds, as far as they were tried"
  }),
  state: Schema.Literals(["Open", "Resolved"])
}).annotate({ identifier: "Notice" })

const TimeoutsShape = Schema.Struct({
  openMs: Schema.optionalKey(Schema.Int).annotateKey({
    description: "For connecting and the greeting together, and for EHLO and encryption together"
  }),
  commandMs: Schema.optionalKey(Schema.Int).annotateKey({ description: "For MAIL, RCPT and DATA together" }),
  answerMs: Schema.optionalKey(Schema.Int).annotateKey({ description: "For the reply to the message" })
}).annotate({ identifier: "ShapingTimeouts", description: "Timeouts for servers, in milliseconds" })

const RulesShape = Schema.Record(
  Schema.String,
  Schema.Struct({
    value: Schema.Union([Schema.Int, Schema.String, TimeoutsShape]),
    from: Schema.Literals(ruleOrigins)
  })
).annotate({ description: "The rules by name, and where each is from" })

const OverrideShape = Schema.Struct({
  startWidth: Schema.optionalKey(Schema.Int),
  maxWidth: Schema.optionalKey(Schema.Int),
  messagesPerConnection: Schema.optionalKey(Schema.Int),
  messagesPerSecond: Schema.optionalKey(Schema.Int),
  connectionsPerMinute: Schema.optionalKey(Schema.Int),
  idleSeconds: Schema.optionalKey(Schema.Int),
  tls: Schema.optionalKey(Schema.Literals(["offered", "required", "verified"])),
  timeouts: Schema.optionalKey(TimeoutsShape),
  until: Schema.optionalKey(nullableText),
  reason: Schema.String
}).annotate({ identifier: "ShapingOverride" })

const LaneShape = Schema.Struct({
  id: Schema.String.annotateKey({
    description: "The key of a provider, the addresses of a site, or `relay`"
  }),
  provider: nullableText,
  site: nullableText,
  source: nullableText.annotateKey({
    description: "The address that mail leaves from; null where the system chooses it"
  }),
  width: Schema.Int.annotateKey({ description: "The concurrency limit, of all processes together" }),
  inUse: Schema.Int.annotateKey({ description: "Number of connections that processes have leased" }),
  leases: Schema.Array(Schema.Struct({ node: Schema.String, places: Schema.Int, expiresAt: Schema.String })),
  rate: Schema.NullOr(Schema.Number).annotateKey({
    description: "Emails a minute; null for without delay"
  }),
  pausedUntil: nullableText,
  strikes: Schema.Int.annotateKey({
    description: "Number of failed connections since it last accepted an email"
  }),
  learnedAt: Schema.String,
  held: Schema.Int,
  oldest: nullableText.annotateKey({ description: "Since when the first of them is held" }),
  override: Schema.NullOr(OverrideShape)
}).annotate({ identifier: "Lane" })

const ProviderShape = Schema.Struct({
  key: Schema.String,
  name: Schema.String,
  help: nullableText,
  rules: RulesShape,
  lanes: Schema.Int,
  held: Schema.Int,
  deferredPerMinute: Schema.Int.annotateKey({
    description: "Rejected for the time being, in the last minute"
  }),
  deliveredPerMinute: Schema.Int.annotateKey({ description: "Accepted, in the last minute" }),
  paused: Schema.Boolean
}).annotate({ identifier: "ShapingProvider" })

/** The reason for an action, for the audit log. */
const recordedReason = { reason: Schema.optionalKey(nullableText) }

const named = {
  provider: Schema.optionalKey(nullableText),
  site: Schema.optionalKey(nullableText),
  domain: Schema.optionalKey(nullableText),
  source: Schema.optionalKey(nullableText).annotateKey({
    description: "The address of a source, with a provider or a site, for the mail from it alone"
  }),
  accountId: Schema.optionalKey(Schema.NullOr(id))
}

const noticeStates = ["Open", "Resolved"] as const
const providerStates = ["Active", "Paused"] as const

/** The routes of shaping. */
export class ShapingGroup extends HttpApiGroup.make("shaping")
  .add(
    HttpApiEndpoint.post("classify", "/shaping/classify", {
      payload: Schema.Struct({
        reply: Schema.String,
        stage: Schema.Literals(classifiedStages).annotateKey({
          description:
            "Command to which the server replied; `Message` is the reply after the message's last byte"
        }),
        provider: Schema.optionalKey(Schema.NullOr(Schema.String))
      }),
      success: envelope(ClassificationShape)
    }).annotate(OpenApi.Summary, "Tell what a mail server's reply leads to; changes nothing"),
    HttpApiEndpoint.get("notices", "/shaping/notices", {
      query: {
        ...listing(byTime),
        state: anyOf(Schema.Literals(noticeStates)),
        lane: anyOf(Schema.String),
        provider: anyOf(Schema.String).annotateKey({ description: "The key of a provider" }),
        accountId: anyOf(id)
      },
      success: envelope(listOf(NoticeShape))
    }).annotate(OpenApi.Summary, "List what holds mail, with the words of the servers; the latest first"),
    HttpApiEndpoint.get("explain", "/shaping/explain", {
      query: { to: Schema.String, accountId: Schema.optionalKey(id) },
      success: envelope(
        Schema.Struct({
          domain: Schema.String,
          mx: Schema.Array(
            Schema.Struct({
              host: Schema.String,
              preference: Schema.Int,
              addresses: Schema.Array(Schema.String)
            })
          ),
          provider: nullableText,
          site: nullableText.annotateKey({ description: "The addresses of servers of no provider" }),
          lane: nullableText,
          source: nullableText.annotateKey({ description: "The address that mail leaves from" }),
          rules: RulesShape,
          width: Schema.Int.annotateKey({ description: "The concurrency limit" }),
          pause: Schema.NullOr(Schema.Struct({ until: Schema.String, words: Schema.String })).annotateKey({
            description: "The suspension that lasts longest; null if nothing holds the mail"
          }),
          warmUp: Schema.NullOr(
            Schema.Struct({ day: Schema.Int, cap: Schema.Int, sent: Schema.Int })
          ).annotateKey({ description: "The warm-up of the source there; null without one" }),
          held: Schema.Int.annotateKey({ description: "Number of recipients whose emails are held" }),
          shared: Schema.NullOr(LaneShape).annotateKey({
            description: "State of the lane that processes share; null if none sent there within a day"
          }),
          tls: Schema.NullOr(
            Schema.Struct({
              kind: Schema.Literals(["Dane", "Sts", "Required", "Offered"]),
              policy: nullableText.annotateKey({
                description: "`tlsa` or `sts`; null where the domain has no policy"
              })
            })
          ),
          sources: Schema.Array(
            Schema.Struct({
              address: Schema.String,
              pool: Schema.String,
              state: Schema.Literals(sourceStates),
              heldUntil: nullableText.annotateKey({ description: "Until when its mail is held there" }),
              sent: Schema.NullOr(Schema.Int).annotateKey({
                description: "The messages that it sent to the group of providers today"
              }),
              warmUp: Schema.NullOr(Schema.Struct({ day: Schema.Int, cap: Schema.Int })).annotateKey({
                description: "The day of its warm-up, and the most messages of today"
              })
            })
          ).annotateKey({ description: "The addresses that mail leaves from" }),
          notices: Schema.Array(NoticeShape),
          lastReplies: Schema.Array(
            Schema.Struct({
              at: Schema.String,
              words: Schema.String,
              action: Schema.Literals(answerActions),
              rule: Schema.String
            })
          ).annotateKey({ description: "Replies that held mail, the latest first" }),
          next: nullableText.annotateKey({ description: "When the next email may leave; null for now" })
        })
      )
    }).annotate(OpenApi.Summary, "Where mail to an address or a domain goes, and what holds it"),
    HttpApiEndpoint.post("suspend", "/shaping/suspend", {
      payload: Schema.Struct({ ...named, until: Schema.optionalKey(nullableText), reason: Schema.String }),
      success: envelope(NoticeShape)
    }).annotate(OpenApi.Summary, "Hold the mail to a provider, a site or a recipient's domain"),
    HttpApiEndpoint.post("resume", "/shaping/resume", {
      payload: Schema.Struct({
        ...named,
        ...recordedReason,
        noticeId: Schema.optionalKey(Schema.NullOr(id))
      }),
      success: envelope(Schema.Struct({ resumed: Schema.Int }))
    }).annotate(OpenApi.Summary, "Send mail that is held, slowly at first"),
    HttpApiEndpoint.post("flush", "/shaping/flush", {
      payload: Schema.Struct({ ...named, ...recordedReason }),
      success: envelope(Schema.Struct({ released: Schema.Int }))
    }).annotate(OpenApi.Summary, "Send mail that is held, without the slow start"),
    HttpApiEndpoint.post("bounce", "/shaping/bounce", {
      payload: Schema.Struct({
        ...named,
        reason: Schema.String,
        confirm: Schema.Int,
        olderThan: Schema.optionalKey(nullableText).annotateKey({
          description: "Only what is held since before this time"
        })
      }),
      success: envelope(Schema.Struct({ ended: Schema.Int }))
    }).annotate(OpenApi.Summary, "End mail that is held; `confirm` is its number"),
    HttpApiEndpoint.get("lanes", "/shaping/lanes", {
      query: {
        ...sortedListing({ lane: ["Text"] }, "lane"),
        provider: anyOf(Schema.String),
        site: anyOf(Schema.String),
        source: anyOf(Schema.String),
        paused: trueOrFalse("Whether no mail is sent to it")
      },
      success: envelope(listOf(LaneShape))
    }).annotate(
      OpenApi.Summary,
      "List the lanes that were used within a day, with what processes lease of them"
    ),
    HttpApiEndpoint.get("providers", "/shaping/providers", {
      query: {
        ...sortedListing({ key: ["Text"] }, "key"),
        q: search("A part of the key or the name"),
        state: anyOf(Schema.Literals(providerStates))
      },
      success: envelope(listOf(ProviderShape))
    }).annotate(OpenApi.Summary, "List the providers of the table, with the rules of their lanes"),
    HttpApiEndpoint.put("override", "/shaping/overrides/:target", {
      params: { target: Schema.String },
      payload: OverrideShape,
      success: envelope(OverrideShape)
    }).annotate(OpenApi.Summary, "Set rules of a provider or a site instead of those of the table"),
    HttpApiEndpoint.delete("removeOverride", "/shaping/overrides/:target", {
      params: { target: Schema.String },
      success: envelope(Schema.Null)
    }).annotate(OpenApi.Summary, "Return to the rules of the table")
  )
  .pipe(
    requiring({
      classify: "installation:read",
      notices: "installation:read",
      explain: "installation:read",
      suspend: "installation:operate",
      resume: "installation:operate",
      flush: "installation:operate",
      bounce: "installation:operate",
      lanes: "installation:read",
      providers: "installation:read",
      override: "installation:operate",
      removeOverride: "installation:operate"
    })
  ) {}
