/**
 * Defines health checks and metrics, at the base URL.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { EndpointGuard, envelope, managementOr } from "./Envelope.ts"

const Health = envelope(Schema.Struct({ status: Schema.Literal("ok") }))

/** Health and metrics. */
export class SystemGroup extends HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("live", "/health/live", { success: Health }).annotate(EndpointGuard, { _tag: "Open" }),
  HttpApiEndpoint.get("ready", "/health/ready", { success: Health }).annotate(EndpointGuard, {
    _tag: "Open"
  }),
  HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String }).annotate(
    EndpointGuard,
    managementOr("metrics:read")
  )
) {}

/** The definition of health and metrics. */
export class SystemApi extends HttpApi.make("system").add(SystemGroup) {}
