/**
 * Defines the management endpoints of the suppression list.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { suppressionKinds, suppressionSources } from "../../../../core/model/Suppression.ts"
import { envelope } from "../Envelope.ts"
import { anyOf, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { accountPath } from "./Path.ts"

const SuppressionShape = Schema.Struct({
  email: Schema.String,
  kind: Schema.Literals(suppressionKinds),
  source: Schema.NullOr(Schema.Literals(suppressionSources)).annotateKey({
    description: "Who suppressed the address; null for older entries, for which this was not stored"
  }),
  createdAt: Schema.String
}).annotate({ identifier: "Suppression" })

/** The routes of suppressions. */
export class SuppressionsGroup extends HttpApiGroup.make("suppressions")
  .add(
    HttpApiEndpoint.post("add", "/accounts/:accountId/suppressions", {
      params: accountPath,
      payload: Schema.Struct({ email: Schema.String, kind: Schema.Literals(suppressionKinds) }),
      success: envelope(SuppressionShape)
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/suppressions", {
      params: accountPath,
      query: {
        ...sortedListing({ time: ["Time", "Text"] }, "-time"),
        ...timeRange,
        kind: anyOf(Schema.Literals(suppressionKinds)),
        source: anyOf(Schema.Literals(suppressionSources), "Who suppressed it"),
        q: search("An address, or the beginning of one")
      },
      success: envelope(listOf(SuppressionShape))
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/suppressions/:email", {
      params: { ...accountPath, email: Schema.String },
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      add: "suppressions:write",
      list: "contacts:read",
      remove: "suppressions:write"
    })
  ) {}
