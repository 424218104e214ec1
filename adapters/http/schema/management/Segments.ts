/**
 * Defines the management endpoints of segments.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { defaultSizeDays, maxSizeDays } from "../../../../core/audience/segments/SegmentSizes.ts"
import { conditional, editedFields } from "../Conditional.ts"
import { envelope, IsExpensive, maybe } from "../Envelope.ts"
import { listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { ContactShape } from "../public/Contacts.ts"
import { segmentCounts, SegmentShape } from "../public/Segments.ts"
import { accountPath, resourcePath } from "./Path.ts"
import { usedBy } from "./Flows.ts"

const DefinitionShape = Schema.Struct({
  join: Schema.String,
  rules: Schema.Array(
    Schema.Struct({
      fieldKey: Schema.String,
      operator: Schema.String,
      value: Schema.optionalKey(Schema.Unknown)
    })
  )
}).annotate({ identifier: "SegmentDefinition" })

const ManagedSegmentShape = Schema.Struct({ ...SegmentShape.fields, ...editedFields }).annotate({
  identifier: "ManagedSegment"
})

const SegmentFieldsShape = Schema.Struct({
  fields: Schema.Array(
    Schema.Struct({ key: Schema.String, label: Schema.NullOr(Schema.String), kind: Schema.String })
  ),
  operators: Schema.Record(
    Schema.String,
    Schema.Array(Schema.Struct({ operator: Schema.String, takes: Schema.String }))
  )
}).annotate({ identifier: "SegmentFields" })

const SegmentReachShape = Schema.Struct({
  count: Schema.Int,
  reached: Schema.Int,
  rest: Schema.Array(
    Schema.Struct({
      reason: Schema.String,
      cause: Schema.String,
      consentStatus: Schema.NullOr(Schema.String),
      count: Schema.Int
    })
  )
}).annotate({ identifier: "SegmentReach" })

const SegmentSizeShape = Schema.Struct({
  segmentId: Schema.String,
  date: Schema.String.annotateKey({ description: "UTC" }),
  ...segmentCounts
}).annotate({ identifier: "SegmentSize" })

const SegmentUsageShape = Schema.Struct(usedBy).annotate({ identifier: "SegmentUsage" })

/** The operator's routes. */
export class ManagedSegmentsGroup extends HttpApiGroup.make("managedSegments")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/segments", {
      params: accountPath,
      payload: Schema.Struct({
        name: Schema.String,
        description: maybe(Schema.String),
        definition: DefinitionShape
      }),
      success: envelope(ManagedSegmentShape)
    }),
    HttpApiEndpoint.post("preview", "/accounts/:accountId/segments/preview", {
      params: accountPath,
      payload: Schema.Struct({ definition: DefinitionShape }),
      success: envelope(Schema.Struct({ ...segmentCounts, sample: Schema.Array(ContactShape) }))
    }),
    HttpApiEndpoint.post("reach", "/accounts/:accountId/segments/reach", {
      params: accountPath,
      payload: Schema.Struct({ definition: DefinitionShape, topic: maybe(Schema.String) }),
      success: envelope(SegmentReachShape)
    }).annotate(
      OpenApi.Summary,
      "Who of a segment's people would get a marketing email, and why not the others"
    ),
    HttpApiEndpoint.get("fields", "/accounts/:accountId/segments/fields", {
      params: accountPath,
      success: envelope(SegmentFieldsShape)
    }).annotate(OpenApi.Summary, "The fields that rules can name, and the operators of each kind of field"),
    HttpApiEndpoint.get("values", "/accounts/:accountId/segments/values", {
      params: accountPath,
      query: {
        field: Schema.String.annotate({
          maxLength: 200,
          description: "The key of a field, or `events` for the names of events"
        }),
        q: Schema.optionalKey(
          Schema.String.annotate({ maxLength: 200, description: "A part of the value, in any case" })
        )
      },
      success: envelope(Schema.Array(Schema.String))
    }).annotate(OpenApi.Summary, "Values that a field has, the most frequent first"),
    HttpApiEndpoint.get("sizes", "/accounts/:accountId/segments/sizes", {
      params: accountPath,
      query: {
        days: Schema.optionalKey(
          Schema.Int.annotate({
            minimum: 1,
            maximum: maxSizeDays,
            description: `${defaultSizeDays} by default, today included`
          })
        ),
        segment: Schema.optionalKey(Schema.String.annotate({ description: "The id of one; all by default" }))
      },
      success: envelope(Schema.Struct({ days: Schema.Int, items: Schema.Array(SegmentSizeShape) }))
    }).annotate(OpenApi.Summary, "Say how many contacts segments had on each day, oldest first"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/segments", {
      params: accountPath,
      query: listing(["Count", "Time", "Id"]),
      success: envelope(listOf(ManagedSegmentShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/segments/:id", {
      params: resourcePath,
      success: envelope(ManagedSegmentShape)
    }),
    HttpApiEndpoint.get("usage", "/accounts/:accountId/segments/:id/usage", {
      params: resourcePath,
      success: envelope(SegmentUsageShape)
    }).annotate(OpenApi.Summary, "Say where a segment is used"),
    HttpApiEndpoint.patch("update", "/accounts/:accountId/segments/:id", {
      params: resourcePath,
      headers: conditional,
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        description: maybe(Schema.String),
        definition: Schema.optionalKey(DefinitionShape)
      }),
      success: envelope(ManagedSegmentShape)
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/segments/:id", {
      params: resourcePath,
      headers: conditional,
      success: envelope(Schema.Null)
    })
  )
  .annotateEndpoints(IsExpensive, true)
  .annotate(OpenApi.Title, "Segments")
  .pipe(
    requiring({
      create: "segments:write",
      preview: "segments:read",
      reach: "segments:read",
      fields: "segments:read",
      values: "contacts:read",
      sizes: "segments:read",
      list: "segments:read",
      get: "segments:read",
      usage: "segments:read",
      update: "segments:write",
      remove: "segments:write"
    })
  ) {}
