/**
 * Defines health checks and metrics, at the base URL.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { envelope } from "./Envelope.ts"
import { requiring } from "./Requirements.ts"

const Health = envelope(Schema.Struct({ status: Schema.Literal("ok") }))

/** Health and metrics. */
export class SystemGroup extends HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("live", "/health/live", { success: Health }),
    HttpApiEndpoint.get("ready", "/health/ready", { success: Health }),
    HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String })
  )
  .pipe(requiring({ live: "Anyone", ready: "Anyone", metrics: "metrics:read" })) {}

/** The definition of health and metrics. */
export class SystemApi extends HttpApi.make("system").add(SystemGroup) {}
