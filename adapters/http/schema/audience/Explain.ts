/**
 * Defines the management endpoint that explains why a person did or did not get an email.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { verdicts } from "../../../../core/explain/Reasons.ts"
import { envelope } from "../Envelope.ts"
import { id, timestamp } from "../Fields.ts"
import { accountPath } from "../management/Path.ts"
import { requiring } from "../Requirements.ts"

/** The wire form of an explanation. */
export const ExplanationShape = Schema.Struct({
  verdict: Schema.Literals(verdicts),
  because: Schema.Array(
    Schema.Struct({
      code: Schema.String.annotateKey({ description: "Stable; branch on it" }),
      sentence: Schema.String,
      at: Schema.NullOr(timestamp),
      evidence: Schema.NullOr(
        Schema.Struct({
          kind: Schema.Literals(["Email", "Run", "Flow", "Campaign", "Event", "Contact", "Suppression"]),
          id: Schema.String
        })
      ).annotateKey({ description: "Evidence for the reason; null if it is no longer stored" })
    })
  ).annotateKey({ description: "Never empty; the deciding reason first" }),
  next: Schema.Array(
    Schema.Struct({
      sentence: Schema.String,
      action: Schema.optionalKey(
        Schema.Struct({
          method: Schema.Literals(["DELETE", "POST"]),
          path: Schema.String,
          body: Schema.optionalKey(Schema.Unknown)
        })
      )
    })
  ).annotateKey({ description: "What to do; `action` is a call of the management API" })
}).annotate({ identifier: "Explanation" })

/** The route of explanations. */
export class ExplainGroup extends HttpApiGroup.make("explain")
  .add(
    HttpApiEndpoint.get("get", "/accounts/:accountId/explain", {
      params: accountPath,
      query: {
        contact: Schema.String.annotate({
          description: "The contact's id, `ext:<your user id>` or `email:<address>`"
        }),
        email: Schema.optionalKey(id),
        flow: Schema.optionalKey(id),
        campaign: Schema.optionalKey(id)
      },
      success: envelope(ExplanationShape)
    }).annotate(
      OpenApi.Summary,
      "Explain why a person did or did not get an email, those of a flow, or a campaign; exactly one is given"
    )
  )
  .pipe(requiring({ get: "contacts:read" })) {}
