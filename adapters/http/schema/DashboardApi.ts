/**
 * Defines the routes of the dashboard: its files, and its page under every other address below `/app`.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { EndpointGuard } from "./Envelope.ts"

const page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))

/** The routes of the dashboard. */
export class DashboardGroup extends HttpApiGroup.make("dashboard")
  .add(
    // The router takes `/app` for it too, without a parameter.
    HttpApiEndpoint.get("page", "/app/*", {
      params: { "*": Schema.optionalKey(Schema.String) },
      success: page
    })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" }) {}

/** The definition of the dashboard's routes. */
export class DashboardApi extends HttpApi.make("dashboard").add(DashboardGroup) {}
