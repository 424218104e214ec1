/**
 * Defines the management endpoints of webhooks.
 *
 * @module
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { notificationStates, webhookEventTypes, webhookFields } from "../../../../core/model/Webhook.ts"
import { envelope, maybe } from "../Envelope.ts"
import { anyOf, byId, byTime, listing, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { id } from "../Fields.ts"
import { requiring } from "../Requirements.ts"
import { accountPath, resourcePath } from "./Path.ts"

const facts = {
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Schema.Literals(webhookEventTypes)),
  fields: Schema.Array(Schema.Literals(webhookFields)),
  description: Schema.NullOr(Schema.String),
  status: Schema.Literals(["Active", "Stopped"]),
  stoppedReason: Schema.NullOr(Schema.String),
  failuresInARow: Schema.Int
}

const WebhookShape = Schema.Struct(facts).annotate({ identifier: "Webhook" })

const IssuedWebhookShape = Schema.Struct({ ...facts, secret: Schema.String }).annotate({
  identifier: "IssuedWebhook"
})

const WebhookDeliveryShape = Schema.Struct({
  notificationId: Schema.String,
  type: Schema.Literals(webhookEventTypes),
  attempt: Schema.Int,
  at: Schema.String,
  httpStatus: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  durationMs: Schema.NullOr(Schema.Int),
  nextAttemptAt: Schema.NullOr(Schema.String),
  state: Schema.Literals(notificationStates)
}).annotate({ identifier: "WebhookDelivery" })

const NotificationShape = Schema.Struct({
  id: Schema.String,
  webhookId: Schema.String,
  type: Schema.Literals(webhookEventTypes),
  messageId: Schema.NullOr(Schema.String),
  state: Schema.Literals(notificationStates),
  attempts: Schema.Int,
  createdAt: Schema.String,
  nextAttemptAt: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Notification" })

/** The routes of webhooks. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("create", "/accounts/:accountId/webhooks", {
      params: accountPath,
      payload: Schema.Struct({
        url: Schema.String,
        events: Schema.Array(Schema.String),
        fields: maybe(Schema.Array(Schema.Literals(webhookFields))),
        description: maybe(Schema.String)
      }),
      success: envelope(IssuedWebhookShape)
    }).annotate(OpenApi.Summary, "Create a webhook; its secret is shown once. No events means all"),
    HttpApiEndpoint.get("list", "/accounts/:accountId/webhooks", {
      params: accountPath,
      query: listing(byTime),
      success: envelope(listOf(WebhookShape))
    }),
    HttpApiEndpoint.delete("remove", "/accounts/:accountId/webhooks/:id", {
      params: resourcePath,
      success: envelope(Schema.Null)
    }),
    HttpApiEndpoint.post("test", "/accounts/:accountId/webhooks/:id/test", {
      params: resourcePath,
      success: envelope(Schema.Struct({ notificationId: Schema.String }))
    }).annotate(OpenApi.Summary, "Send a webhook.test notification"),
    HttpApiEndpoint.post("rotateSecret", "/accounts/:accountId/webhooks/:id/rotate-secret", {
      params: resourcePath,
      success: envelope(Schema.Struct({ secret: Schema.String }))
    }).annotate(OpenApi.Summary, "Create a new secret; the previous one also signs for 24 hours"),
    HttpApiEndpoint.get("notifications", "/accounts/:accountId/notifications", {
      params: accountPath,
      query: {
        ...sortedListing({ time: byId }, "-time"),
        ...timeRange,
        webhookId: anyOf(id),
        type: anyOf(Schema.Literals(webhookEventTypes)),
        state: anyOf(Schema.Literals(notificationStates)),
        q: search("The message id that it is about, or a recipient's whole address")
      },
      success: envelope(listOf(NotificationShape))
    }).annotate(OpenApi.Summary, "List the notifications of all webhooks"),
    HttpApiEndpoint.get("deliveries", "/accounts/:accountId/webhooks/:id/deliveries", {
      params: resourcePath,
      query: listing(["Time", "Id", "Count"]),
      success: envelope(listOf(WebhookDeliveryShape))
    }).annotate(OpenApi.Summary, "List attempts, and notifications before their first attempt")
  )
  .pipe(
    requiring({
      notifications: "webhooks:read",
      create: "webhooks:write",
      list: "webhooks:read",
      remove: "webhooks:write",
      test: "webhooks:write",
      rotateSecret: "webhooks:write",
      deliveries: "webhooks:read"
    })
  ) {}
