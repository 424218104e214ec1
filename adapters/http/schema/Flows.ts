/**
 * The routes of flows: the operator's (management-api, A/flows), and the trigger URL (public-api, Flow API trigger).
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { flowStatuses } from "../../../core/model/Flow.ts"
import { maxCallId } from "../../../core/automation/flows/FlowTriggers.ts"
import { runStatuses } from "../../../core/model/Run.ts"
import { ContactWriteShape } from "./Contacts.ts"
import { EndpointGuard, envelope, flowToken, managementOnly, maybe, pageOf, paging } from "./Envelope.ts"
import { id, textUpTo } from "./Fields.ts"
import { Notes } from "./Notes.ts"
import { triggerFlow } from "./notes/events.ts"

const account = { accountId: Schema.String }
const accountAnd = { accountId: Schema.String, id: Schema.String }
const nullableText = Schema.NullOr(Schema.String)

/** What the trigger, stop events and steps may be is the core's to say, which names the place of what is wrong. */
const FlowWriteShape = Schema.Struct({
  name: Schema.String,
  trigger: Schema.Unknown,
  stopEvents: maybe(Schema.Array(Schema.Unknown)),
  steps: maybe(Schema.Array(Schema.Unknown))
}).annotate({ identifier: "FlowWrite" })

const FlowShape = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  status: Schema.Literals(flowStatuses),
  version: Schema.Int,
  trigger: Schema.Unknown,
  stopEvents: Schema.Array(Schema.Unknown),
  steps: Schema.Array(Schema.Unknown),
  hasTriggerToken: Schema.Boolean,
  createdAt: Schema.String,
  updatedAt: Schema.String
}).annotate({ identifier: "Flow" })

const LogShape = Schema.Array(
  Schema.Struct({ stepId: Schema.String, at: Schema.String, outcome: Schema.String })
)

const RunShape = Schema.Struct({
  id: Schema.String,
  contactId: Schema.String,
  version: Schema.Int,
  status: Schema.Literals(runStatuses),
  stepId: nullableText,
  startedAt: Schema.String,
  endedAt: nullableText,
  reason: nullableText,
  nextAt: nullableText,
  log: LogShape
}).annotate({ identifier: "FlowRun" })

const StoryEventShape = Schema.Struct({
  name: maybe(Schema.String),
  occurredAt: maybe(Schema.String),
  after: maybe(Schema.String),
  properties: maybe(Schema.Record(Schema.String, Schema.Unknown))
})

const SimulationShape = Schema.Struct({
  started: Schema.Boolean,
  status: Schema.NullOr(Schema.Literals(runStatuses)),
  reason: nullableText,
  startedAt: nullableText,
  endedAt: nullableText,
  path: LogShape,
  emails: Schema.Array(
    Schema.Struct({
      stepId: Schema.String,
      at: Schema.String,
      subject: nullableText,
      html: nullableText,
      text: nullableText,
      failure: nullableText
    })
  )
}).annotate({ identifier: "FlowSimulation" })

const flow = "/accounts/:accountId/flows/:id"

/** The routes of flows. */
export class FlowsGroup extends HttpApiGroup.make("flows")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/flows", {
      params: account,
      payload: FlowWriteShape,
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Add a flow as a draft"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/flows", {
      params: account,
      query: paging,
      success: envelope(pageOf(FlowShape))
    }),
    HttpApiEndpoint.get("get", flow, { params: accountAnd, success: envelope(FlowShape) }),
    HttpApiEndpoint.put("replace", flow, {
      params: accountAnd,
      payload: FlowWriteShape,
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Edit a flow; runs follow it once it is published again"),
    HttpApiEndpoint.post("publish", `${flow}/publish`, { params: accountAnd, success: envelope(FlowShape) }),
    HttpApiEndpoint.post("pause", `${flow}/pause`, { params: accountAnd, success: envelope(FlowShape) }),
    HttpApiEndpoint.post("archive", `${flow}/archive`, { params: accountAnd, success: envelope(FlowShape) }),
    HttpApiEndpoint.post("issueToken", `${flow}/trigger-token`, {
      params: accountAnd,
      success: envelope(Schema.Struct({ triggerUrl: Schema.String, token: Schema.String }))
    }).annotate(OpenApi.Summary, "Make a trigger token; the one before stops working at once"),
    HttpApiEndpoint.get("webhookSecret", `${flow}/webhook-secret`, {
      params: accountAnd,
      success: envelope(Schema.Struct({ secret: Schema.String }))
    }).annotate(OpenApi.Summary, "The secret that signs the requests of Webhook steps"),
    HttpApiEndpoint.get("runs", `${flow}/runs`, {
      params: accountAnd,
      query: { ...paging, status: Schema.optionalKey(Schema.String) },
      success: envelope(pageOf(RunShape))
    }),
    HttpApiEndpoint.post("simulate", `${flow}/simulate`, {
      params: accountAnd,
      payload: Schema.Struct({
        contact: maybe(ContactWriteShape),
        event: maybe(StoryEventShape),
        events: maybe(Schema.Array(StoryEventShape))
      }),
      success: envelope(SimulationShape)
    }).annotate(OpenApi.Summary, "Play a story through a flow in virtual time; nothing is sent or stored"),
    HttpApiEndpoint.get("blueprints", "/accounts/:accountId/flow-blueprints", {
      params: account,
      success: envelope(
        Schema.Array(
          Schema.Struct({
            key: Schema.String,
            name: Schema.String,
            description: Schema.String,
            trigger: Schema.Unknown
          })
        )
      )
    }),
    HttpApiEndpoint.post("install", "/accounts/:accountId/flow-blueprints/:key/install", {
      params: { accountId: Schema.String, key: Schema.String },
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Add a blueprint as a draft")
  )
  .annotateEndpoints(EndpointGuard, managementOnly) {}

/** The trigger URL of flows. */
export class FlowTriggerGroup extends HttpApiGroup.make("flowTrigger")
  .add(
    HttpApiEndpoint.post("trigger", "/flows/:flowId/trigger", {
      params: { flowId: id.annotate({ description: "The flow's id, as its trigger URL has it" }) },
      payload: Schema.Struct({
        ...ContactWriteShape.fields,
        id: maybe(textUpTo(maxCallId)).annotateKey({ description: "Your own id of this call; required" }),
        properties: Schema.optionalKey(Schema.Unknown)
      }),
      success: envelope(Schema.Struct({ contactId: id, duplicate: Schema.Boolean }))
    })
      .annotate(EndpointGuard, flowToken)
      .annotate(OpenApi.Summary, "Start a flow for a person")
      .annotate(Notes, triggerFlow)
  )
  .annotate(OpenApi.Title, "Flow trigger")
  .annotate(OpenApi.Description, "Starts one flow, by a token of its own.") {}

/** What flows are called by. */
export class FlowTriggerApi extends HttpApi.make("flow-trigger")
  .add(FlowTriggerGroup)
  .annotate(OpenApi.Title, "svc flow trigger")
  .annotate(OpenApi.Version, "v1") {}
