/**
 * Defines what says where something is used.
 *
 * @module
 */
import { Schema } from "effect"
import { campaignStatuses } from "../../../../core/model/Campaign.ts"
import { flowStatuses } from "../../../../core/model/Flow.ts"

/** The flows and campaigns that use something. */
export const usedBy = {
  flows: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      name: Schema.String,
      status: Schema.Literals(flowStatuses),
      isPublished: Schema.Boolean.annotateKey({
        description: "Whether the published version uses it; else only the draft does"
      })
    })
  ),
  campaigns: Schema.Array(
    Schema.Struct({ id: Schema.String, name: Schema.String, status: Schema.Literals(campaignStatuses) })
  ).annotateKey({ description: "Campaigns that use it and have not ended" })
}
