/**
 * Defines the management endpoints of segments.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { conditional, editedFields } from "../Conditional.ts"
import { envelope, IsExpensive, maybe } from "../Envelope.ts"
import { listing, listOf } from "../Lists.ts"
import { requiring } from "../Requirements.ts"
import { ContactShape } from "../public/Contacts.ts"
import { segmentCounts, SegmentShape } from "../public/Segments.ts"
import { accountPath, resourcePath } from "./Path.ts"

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
    HttpApiEndpoint.get("list", "/accounts/:accountId/segments", {
      params: accountPath,
      query: listing(["Count", "Time", "Id"]),
      success: envelope(listOf(ManagedSegmentShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/segments/:id", {
      params: resourcePath,
      success: envelope(ManagedSegmentShape)
    }),
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
      list: "segments:read",
      get: "segments:read",
      update: "segments:write",
      remove: "segments:write"
    })
  ) {}
