/**
 * Defines the endpoints that stores and relays call: events with the store's token, the webhooks of Shopify and WooCommerce,
 * and the reports of mail providers.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { storeEventNames } from "../../../core/commerce/platforms/EventData.ts"
import { maxEvents } from "../../../core/commerce/sync/StoreSync.ts"
import { maxBatchBody } from "./BatchResults.ts"
import { asWritten } from "./Fields.ts"
import { BatchList, EndpointGuard, envelope, MaxBody, TakesCompressed } from "./Envelope.ts"

const nullableText = Schema.NullOr(Schema.String)

const StoreEventShape = Schema.Struct({
  id: Schema.String,
  name: Schema.Literals(storeEventNames),
  occurredAt: Schema.optionalKey(Schema.String),
  data: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "StoreEvent" })

const TakenShape = Schema.Struct({
  accepted: Schema.Int,
  duplicates: Schema.Int,
  rejected: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      reasons: Schema.Array(
        Schema.Struct({
          code: Schema.String,
          field: nullableText,
          params: Schema.optionalKey(Schema.Struct({ more: Schema.Int }))
        })
      )
    })
  )
}).annotate({ identifier: "StoreEventsTaken" })

const store = { storeId: Schema.String }
const raw = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" }))

/** The largest body of a relay's report, in bytes. */
export const maxFeedback = 1024 * 1024

/** The endpoints that stores and relays call. Webhook bodies are read as bytes, because their signatures cover the bytes. */
export class IngestGroup extends HttpApiGroup.make("ingest")
  .add(
    HttpApiEndpoint.post("events", "/stores/:storeId/events", {
      params: store,
      payload: Schema.Struct({ events: Schema.Array(StoreEventShape) }),
      success: envelope(TakenShape)
    })
      .annotate(EndpointGuard, { _tag: "Store" })
      .annotate(BatchList, {
        name: "events",
        element: Schema.Unknown.annotate(asWritten),
        maxElements: maxEvents,
        // Enough for an order of 10,000 lines.
        maxValues: 200_000
      })
      .annotate(MaxBody, maxBatchBody),
    HttpApiEndpoint.post("shopify", "/stores/:storeId/shopify", {
      params: store,
      payload: raw,
      success: envelope(Schema.Null)
    }).annotate(EndpointGuard, { _tag: "Open" }),
    HttpApiEndpoint.post("wooCommerce", "/stores/:storeId/woocommerce", {
      params: store,
      payload: raw,
      success: envelope(Schema.Null)
    }).annotate(EndpointGuard, { _tag: "Open" })
  )
  .add(
    HttpApiEndpoint.post("relay", "/relays/:relayId/feedback", {
      params: { relayId: Schema.String },
      payload: raw,
      success: envelope(Schema.Null)
    })
      .annotate(EndpointGuard, { _tag: "Open" })
      .annotate(MaxBody, maxFeedback)
      .annotate(TakesCompressed, true)
  )
  .prefix("/ingest/v1") {}

/** The API of stores and relays. */
export class IngestApi extends HttpApi.make("ingest").add(IngestGroup) {}
