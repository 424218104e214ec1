/**
 * Defines the endpoint that starts a flow by its trigger token (docs/contributing/public-api.md "Flow API trigger").
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { maxCallId } from "../../../core/automation/flows/FlowTriggers.ts"
import { EndpointGuard, envelope, flowToken, maybe } from "./Envelope.ts"
import { asWritten, id, textUpTo } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { triggerFlow } from "./notes/events.ts"
import { ContactWriteShape } from "./public/Contacts.ts"

/** The trigger URL of flows. */
export class FlowTriggerGroup extends HttpApiGroup.make("flowTrigger")
  .add(
    HttpApiEndpoint.post("trigger", "/flows/:flowId/trigger", {
      params: { flowId: id.annotate({ description: "The flow's id, as its trigger URL has it" }) },
      payload: Schema.Struct({
        ...ContactWriteShape.fields,
        id: maybe(textUpTo(maxCallId)).annotateKey({ description: "Your own id of this call; required" }),
        properties: Schema.optionalKey(Schema.Unknown.annotate(asWritten))
      }),
      success: envelope(Schema.Struct({ contactId: id, duplicate: Schema.Boolean }))
    })
      .annotate(EndpointGuard, flowToken)
      .annotate(OpenApi.Summary, "Start a flow for a person")
      .annotate(Notes, triggerFlow)
  )
  .annotate(OpenApi.Title, "Flow trigger")
  .annotate(OpenApi.Description, "Starts one flow, by a token of its own.") {}

/** The definition of the trigger URL. */
export class FlowTriggerApi extends HttpApi.make("flow-trigger")
  .add(FlowTriggerGroup)
  .annotate(OpenApi.Title, "svc flow trigger")
  .annotate(OpenApi.Version, "v1") {}
