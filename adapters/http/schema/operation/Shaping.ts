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
    }).annotate(OpenApi.Summary, "Tell what a mail server's reply leads to; changes nothing")
  )
  .pipe(requiring({ classify: "installation:read" })) {}
