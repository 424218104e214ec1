/**
 * Defines the resources that emails load from the base URL: the open pixel, tracked links (docs/contributing/decisions.md 5)
 * and uploaded images. It also defines the images in emails that people view in the service.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { trackingPaths } from "../../../core/sending/tracking/TrackHtml.ts"
import { imagePath } from "../../../core/sending/delivery/EmailView.ts"
import { imagesPath } from "../../../core/images/ImageKeys.ts"
import { EndpointGuard } from "./Envelope.ts"

const token = { token: Schema.String }

/** The pixel and the links. */
export class TrackingGroup extends HttpApiGroup.make("tracking")
  .add(
    HttpApiEndpoint.get("open", `${trackingPaths.open}/:token`, {
      params: token,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/gif" }))
    }),
    HttpApiEndpoint.get("click", `${trackingPaths.click}/:token`, {
      params: token,
      success: [
        HttpApiSchema.Empty(302),
        Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
      ]
    }),
    HttpApiEndpoint.get("uploaded", `${imagesPath}/:key`, {
      params: { key: Schema.String },
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/png" }))
    }),
    HttpApiEndpoint.get("image", `${imagePath}/:token`, {
      params: token,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/png" }))
    })
  )
  .annotateEndpoints(EndpointGuard, { _tag: "Open" }) {}

export class TrackingApi extends HttpApi.make("tracking").add(TrackingGroup) {}
