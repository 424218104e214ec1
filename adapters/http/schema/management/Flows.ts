/**
 * Defines the management endpoints of flows.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { campaignStatuses } from "../../../../core/model/Campaign.ts"
import { flowStatuses } from "../../../../core/model/Flow.ts"
import { runStatuses } from "../../../../core/model/Run.ts"
import { ContactWriteShape } from "../public/Contacts.ts"
import { envelope, maybe } from "../Envelope.ts"
import { conditional, editedFields } from "../Conditional.ts"
import { anyOf, byTime, listing, listOf, sortedListing, timeRange } from "../Lists.ts"
import { asWritten, id, textUpTo } from "../Fields.ts"
import { requiring } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

const nullableText = Schema.NullOr(Schema.String)

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

/** The core validates trigger, stop events and steps, and reports the path of each error. */
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
  ...editedFields
}).annotate({ identifier: "Flow" })

const LogShape = Schema.Array(
  Schema.Struct({ stepId: Schema.String, at: Schema.String, outcome: Schema.String })
)

const RunShape = Schema.Struct({
  id: Schema.String,
  flowId: Schema.String,
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

const FlowStatsShape = Schema.Struct({
  started: Schema.Int,
  active: Schema.Int,
  completed: Schema.Int,
  stopped: Schema.Int,
  failed: Schema.Int,
  opened: Schema.Int,
  clicked: Schema.Int,
  openedUnknown: Schema.Int,
  clickedUnknown: Schema.Int,
  openedByMachines: Schema.Int,
  clickedByMachines: Schema.Int,
  conversions: Schema.Int,
  revenue: Schema.Array(Schema.Struct({ currency: Schema.String, amount: Schema.String })).annotateKey({
    description: "Current value of the conversions' orders, without cancelled and refunded orders"
  }),
  steps: Schema.Array(
    Schema.Struct({
      stepId: Schema.String,
      waiting: Schema.Int,
      passed: Schema.Int,
      skippedBy: Schema.Record(Schema.String, Schema.Int),
      failed: Schema.Int
    })
  ),
  versions: Schema.Array(Schema.Struct({ version: Schema.Int, active: Schema.Int })).annotateKey({
    description: "The versions that have active runs, the newest first"
  })
}).annotate({ identifier: "FlowStats" })

const FlowVersionShape = Schema.Struct({
  version: Schema.Int,
  publishedAt: nullableText,
  trigger: Schema.Unknown,
  stopEvents: Schema.Array(Schema.Unknown),
  steps: Schema.Array(Schema.Unknown)
}).annotate({ identifier: "FlowVersion" })

const StoryEventShape = Schema.Struct({
  name: maybe(Schema.String),
  occurredAt: maybe(Schema.String),
  after: maybe(Schema.String),
  properties: maybe(Schema.Record(Schema.String, Schema.Unknown.annotate(asWritten)))
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
      params: accountPath,
      payload: FlowWriteShape,
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Add a flow as a draft"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/flows", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(FlowShape))
    }),
    HttpApiEndpoint.get("get", flow, { params: resourcePath, success: envelope(FlowShape) }),
    HttpApiEndpoint.put("replace", flow, {
      params: resourcePath,
      headers: conditional,
      payload: FlowWriteShape,
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Edit a flow; runs follow it once it is published again"),
    HttpApiEndpoint.post("publish", `${flow}/publish`, {
      params: resourcePath,
      success: envelope(FlowShape)
    }),
    HttpApiEndpoint.post("pause", `${flow}/pause`, { params: resourcePath, success: envelope(FlowShape) }),
    HttpApiEndpoint.post("archive", `${flow}/archive`, {
      params: resourcePath,
      success: envelope(FlowShape)
    }),
    HttpApiEndpoint.post("issueToken", `${flow}/trigger-token`, {
      params: resourcePath,
      success: envelope(Schema.Struct({ triggerUrl: Schema.String, token: Schema.String }))
    }).annotate(OpenApi.Summary, "Create a trigger token; the previous one stops working at once"),
    HttpApiEndpoint.get("webhookSecret", `${flow}/webhook-secret`, {
      params: resourcePath,
      success: envelope(Schema.Struct({ secret: Schema.String }))
    }).annotate(OpenApi.Summary, "The secret that signs the requests of Webhook steps"),
    HttpApiEndpoint.get("runs", `${flow}/runs`, {
      params: resourcePath,
      query: {
        ...sortedListing({ started: byTime }, "-started"),
        ...timeRange,
        status: anyOf(Schema.Literals(runStatuses)),
        step: anyOf(textUpTo(200), "Id of the step that comes next or waits"),
        version: anyOf(Schema.Int.annotate({ minimum: 1 })),
        contactId: anyOf(id),
        runId: anyOf(id)
      },
      success: envelope(listOf(RunShape))
    }),
    HttpApiEndpoint.get("runsOfContact", "/accounts/:accountId/contacts/:id/runs", {
      params: resourcePath,
      query: listing(byTime),
      success: envelope(listOf(RunShape))
    }).annotate(OpenApi.Summary, "List a contact's runs of all flows"),
    HttpApiEndpoint.get("stats", `${flow}/stats`, {
      params: resourcePath,
      success: envelope(FlowStatsShape)
    }).annotate(OpenApi.Summary, "Count a flow's runs, opens, clicks and conversions"),
    HttpApiEndpoint.get("versions", `${flow}/versions`, {
      params: resourcePath,
      query: listing(["Count"]),
      success: envelope(listOf(Schema.Struct({ version: Schema.Int, publishedAt: nullableText })))
    }).annotate(OpenApi.Summary, "List a flow's published versions, the newest first"),
    HttpApiEndpoint.get("version", `${flow}/versions/:version`, {
      params: { ...resourcePath, version: Schema.Int },
      success: envelope(FlowVersionShape)
    }).annotate(OpenApi.Summary, "Get a published version with its definition"),
    HttpApiEndpoint.post("start", `${flow}/start`, {
      params: resourcePath,
      payload: Schema.Struct({
        contactId: id,
        properties: maybe(Schema.Record(Schema.String, Schema.Unknown.annotate(asWritten)))
      }),
      success: envelope(RunShape)
    }).annotate(OpenApi.Summary, "Start a run of a published flow for a contact"),
    HttpApiEndpoint.post("stopRun", `${flow}/runs/:runId/stop`, {
      params: { ...resourcePath, runId: id },
      success: envelope(RunShape)
    }).annotate(OpenApi.Summary, "Stop an active run; its emails that have not been sent are cancelled"),
    HttpApiEndpoint.post("simulate", `${flow}/simulate`, {
      params: resourcePath,
      payload: Schema.Struct({
        contact: maybe(ContactWriteShape),
        event: maybe(StoryEventShape),
        events: maybe(Schema.Array(StoryEventShape))
      }),
      success: envelope(SimulationShape)
    }).annotate(
      OpenApi.Summary,
      "Simulate a scenario through a flow in virtual time; nothing is sent or stored"
    ),
    HttpApiEndpoint.get("blueprints", "/accounts/:accountId/flow-blueprints", {
      params: accountPath,
      success: envelope(
        Schema.Array(
          Schema.Struct({
            key: Schema.String,
            name: Schema.String,
            description: Schema.String,
            trigger: Schema.Unknown,
            steps: Schema.Array(Schema.Unknown)
          })
        )
      )
    }),
    HttpApiEndpoint.post("install", "/accounts/:accountId/flow-blueprints/:key/install", {
      params: { ...accountPath, key: Schema.String },
      success: envelope(FlowShape)
    }).annotate(OpenApi.Summary, "Add a blueprint as a draft")
  )
  .pipe(
    requiring({
      create: "flows:write",
      list: "flows:read",
      get: "flows:read",
      replace: "flows:write",
      publish: "flows:publish",
      pause: "flows:publish",
      archive: "flows:publish",
      issueToken: "flows:write",
      webhookSecret: "flows:write",
      runs: "flows:read",
      stats: "flows:read",
      versions: "flows:read",
      version: "flows:read",
      runsOfContact: "contacts:read",
      start: "flows:publish",
      stopRun: "flows:publish",
      simulate: "flows:read",
      blueprints: "flows:read",
      install: "flows:write"
    })
  ) {}
