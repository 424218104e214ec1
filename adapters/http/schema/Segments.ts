/**
 * The segments routes: the customer's (public-api, Segments and topics) and the operator's (management-api, A/segments).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { builtInKeys } from "../../../core/model/Segment.ts"
import { ContactShape } from "./Contacts.ts"
import { EndpointGuard, envelope, keyWith, managementOnly, maybe, pageOf, paging } from "./Envelope.ts"
import { id } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { listSegments } from "./notes/audience.ts"

const counts = { count: Schema.Int, sendableCount: Schema.Int }

const SegmentShape = Schema.Struct({
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
  ...counts
}).annotate({ identifier: "Segment" })

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

/** The customer's routes. */
export class SegmentsGroup extends HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.get("list", "/segments", { success: envelope(Schema.Array(SegmentShape)) })
      .annotate(EndpointGuard, keyWith("contacts:read"))
      .annotate(OpenApi.Summary, "List segments")
      .annotate(Notes, listSegments)
  )
  .annotate(OpenApi.Title, "Segments")
  .annotate(OpenApi.Description, "Groups of contacts that rules pick.") {}

const account = { accountId: Schema.String }
const accountAnd = { accountId: Schema.String, id: Schema.String }

/** The operator's routes. */
export class ManagedSegmentsGroup extends HttpApiGroup.make("managedSegments")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/segments", {
      params: account,
      payload: Schema.Struct({
        name: Schema.String,
        description: maybe(Schema.String),
        definition: DefinitionShape
      }),
      success: envelope(SegmentShape)
    }),
    HttpApiEndpoint.post("preview", "/accounts/:accountId/segments/preview", {
      params: account,
      payload: Schema.Struct({ definition: DefinitionShape }),
      success: envelope(Schema.Struct({ ...counts, sample: Schema.Array(ContactShape) }))
    }),
    HttpApiEndpoint.get("list", "/accounts/:accountId/segments", {
      params: account,
      query: paging,
      success: envelope(pageOf(SegmentShape))
    }),
    HttpApiEndpoint.get("get", "/accounts/:accountId/segments/:id", {
      params: accountAnd,
      success: envelope(SegmentShape)
    }),
    HttpApiEndpoint.patch("update", "/accounts/:accountId/segments/:id", {
      params: accountAnd,
      payload: Schema.Struct({
        name: Schema.optionalKey(Schema.String),
        description: maybe(Schema.String),
        definition: Schema.optionalKey(DefinitionShape)
      }),
      success: envelope(SegmentShape)
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/segments/:id", {
      params: accountAnd,
      success: envelope(Schema.Null)
    })
  )
  .annotateEndpoints(EndpointGuard, managementOnly)
  .annotate(OpenApi.Title, "Segments") {}
