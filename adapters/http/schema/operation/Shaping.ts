/**
 * Defines the management endpoints of shaping: what the replies of mail servers mean.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { answerActions, answerScopes } from "../../../../core/model/Answer.ts"
import { answerReasons } from "../../../../core/sending/shaping/Answers.ts"
import { envelope } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { anyOf, byTime, listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"

/** The stages of a session whose replies people come across. */
export const classifiedStages = ["Connect", "Ehlo", "Mail", "Rcpt", "Data", "Message"] as const

const ClassificationShape = Schema.Struct({
  action: Schema.Literals(["Accept", ...answerActions]),
  scope: Schema.NullOr(Schema.Literals(answerScopes)),
  rule: Schema.String.annotateKey({ description: "The id of the rule, or the code that decided" }),
  reason: Schema.NullOr(Schema.Literals(answerReasons)),
  remedy: Schema.NullOr(Schema.String),
  source: Schema.NullOr(Schema.String).annotateKey({ description: "Where replies of this kind were seen" })
}).annotate({ identifier: "Classification" })

const nullableText = Schema.NullOr(Schema.String)

const NoticeShape = Schema.Struct({
  id: Schema.String,
  lane: Schema.String.annotateKey({
    description:
      "The key of a provider, the addresses of a site, `relay`, or `domain:` with a recipient's domain"
  }),
  accountId: nullableText,
  domain: nullableText.annotateKey({ description: "The sending domain; null where all mail is held" }),
  cause: Schema.Literals(["Reply", "Operator"]),
  action: Schema.Literals(answerActions),
  rule: Schema.String,
  words: Schema.String.annotateKey({
    description: "What the server replied, or the reason the operator gave"
  }),
  remedy: Schema.String,
  help: nullableText.annotateKey({ description: "The provider's page for senders" }),
  since: Schema.String,
  until: Schema.String.annotateKey({
    description: "From then on one email at a time is sent to find out whether it can end"
  }),
  resolvedAt: nullableText,
  held: Schema.Int.annotateKey({ description: "How many recipients' emails it holds, of those that met it" }),
  state: Schema.Literals(["Open", "Resolved"])
}).annotate({ identifier: "Notice" })

const named = {
  provider: Schema.optionalKey(nullableText),
  site: Schema.optionalKey(nullableText),
  domain: Schema.optionalKey(nullableText),
  accountId: Schema.optionalKey(Schema.NullOr(id))
}

const noticeStates = ["Open", "Resolved"] as const

/** The routes of shaping. */
export class ShapingGroup extends HttpApiGroup.make("shaping")
  .add(
    HttpApiEndpoint.post("classify", "/shaping/classify", {
      payload: Schema.Struct({
        reply: Schema.String,
        stage: Schema.Literals(classifiedStages).annotateKey({
          description: "What was replied to; `Message` is the reply after the message's last byte"
        }),
        provider: Schema.optionalKey(Schema.NullOr(Schema.String))
      }),
      success: envelope(ClassificationShape)
    }).annotate(OpenApi.Summary, "Tell what a mail server's reply leads to; changes nothing"),
    HttpApiEndpoint.get("notices", "/shaping/notices", {
      query: {
        ...listing(byTime),
        state: Schema.optionalKey(Schema.Literals(noticeStates)),
        lane: anyOf(Schema.String),
        account: anyOf(id)
      },
      success: envelope(listOf(NoticeShape))
    }).annotate(OpenApi.Summary, "List what holds mail, with the words of the servers; the latest first"),
    HttpApiEndpoint.get("explain", "/shaping/explain", {
      query: { to: Schema.String, account: Schema.optionalKey(id) },
      success: envelope(
        Schema.Struct({
          domain: Schema.String,
          provider: nullableText,
          lane: nullableText,
          notices: Schema.Array(NoticeShape)
        })
      )
    }).annotate(OpenApi.Summary, "Where mail to an address or a domain goes, and what holds it"),
    HttpApiEndpoint.post("suspend", "/shaping/suspend", {
      payload: Schema.Struct({ ...named, until: Schema.optionalKey(nullableText), reason: Schema.String }),
      success: envelope(NoticeShape)
    }).annotate(OpenApi.Summary, "Hold the mail to a provider, a site or a recipient's domain"),
    HttpApiEndpoint.post("resume", "/shaping/resume", {
      payload: Schema.Struct({ ...named, noticeId: Schema.optionalKey(Schema.NullOr(id)) }),
      success: envelope(Schema.Struct({ resumed: Schema.Int }))
    }).annotate(OpenApi.Summary, "Send mail that is held, slowly at first"),
    HttpApiEndpoint.post("flush", "/shaping/flush", {
      payload: Schema.Struct(named),
      success: envelope(Schema.Struct({ released: Schema.Int }))
    }).annotate(OpenApi.Summary, "Send mail that is held, without the slow start"),
    HttpApiEndpoint.post("bounce", "/shaping/bounce", {
      payload: Schema.Struct({ ...named, reason: Schema.String, confirm: Schema.Int }),
      success: envelope(Schema.Struct({ ended: Schema.Int }))
    }).annotate(OpenApi.Summary, "End mail that is held; `confirm` is its number")
  )
  .pipe(
    requiring({
      classify: "installation:read",
      notices: "installation:read",
      explain: "installation:read",
      suspend: "installation:operate",
      resume: "installation:operate",
      flush: "installation:operate",
      bounce: "installation:operate"
    })
  ) {}
