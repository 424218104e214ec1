/**
 * Defines the segments endpoint of the public API (docs/contributing/public-api.md "Segments and topics").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { builtInKeys } from "../../../../core/model/Segment.ts"
import { EndpointGuard, envelope, IsExpensive, keyWith } from "../Envelope.ts"
import { id } from "../Fields.ts"
import { Notes } from "../Notes.ts"
import { listSegments } from "../notes/audience.ts"

/** Counts of a segment. */
export const segmentCounts = { count: Schema.Int, sendableCount: Schema.Int }

/** A segment with its counts. */
export const SegmentShape = Schema.Struct({
  id,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  definition: Schema.Struct({
    join: Schema.String,
    rules: Schema.Array(
      Schema.Struct({ fieldKey: Schema.String, operator: Schema.String, value: Schema.Unknown })
    )
  }),
  builtInKey: Schema.NullOr(Schema.Literals(builtInKeys)),
  ...segmentCounts
}).annotate({ identifier: "Segment" })

/** The customer's routes. */
export class SegmentsGroup extends HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.get("list", "/segments", { success: envelope(Schema.Array(SegmentShape)) })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(IsExpensive, true)
      .annotate(OpenApi.Summary, "List segments")
      .annotate(Notes, listSegments)
  )
  .annotate(OpenApi.Title, "Segments")
  .annotate(OpenApi.Description, "Groups of contacts that rules pick.") {}
