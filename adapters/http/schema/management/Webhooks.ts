/**
 * Defines the management endpoints of webhooks.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { maxIds } from "../../../../core/bulk/BulkActions.ts"
import { notificationStates, webhookEventTypes, webhookFields } from "../../../../core/model/Webhook.ts"
import { envelope, maybe } from "../Envelope.ts"
import { anyOf, byId, byTime, listing, listOf, search, sortedListing, timeRange } from "../Lists.ts"
import { id, listUpTo, timestamp, timestampWithOffset } from "../Fields.ts"
import { JobShape } from "../audience/Jobs.ts"
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

const NotificationDetailShape = Schema.Struct({
  ...NotificationShape.fields,
  url: Schema.NullOr(Schema.String).annotateKey({ description: "Null where the webhook was deleted" }),
  body: Schema.String.annotateKey({ description: "The body of the request" }),
  log: Schema.Array(
    Schema.Struct({
      attempt: Schema.Int,
      at: timestamp,
      httpStatus: Schema.NullOr(Schema.Int),
      error: Schema.NullOr(Schema.String),
      durationMs: Schema.Int,
      response: Schema.NullOr(Schema.String).annotateKey({
        description: "The beginning of the response's body, up to 1 KB"
      })
    })
  ).annotateKey({ description: "The attempts, oldest first" })
}).annotate({ identifier: "NotificationDetail" })

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
    HttpApiEndpoint.get("notification", "/accounts/:accountId/notifications/:id", {
      params: resourcePath,
      success: envelope(NotificationDetailShape)
    }).annotate(OpenApi.Summary, "Read a notification, its request and its attempts with their responses"),
    HttpApiEndpoint.post("resend", "/accounts/:accountId/webhooks/:id/resend", {
      params: resourcePath,
      payload: Schema.Struct({
        notificationIds: maybe(listUpTo(id, maxIds)),
        since: maybe(timestampWithOffset).annotateKey({
          description: "The failed notifications that were made at this time or later"
        }),
        until: maybe(timestampWithOffset).annotateKey({ description: "Before this time; now by default" })
      }),
      success: envelope(JobShape)
    }).annotate(OpenApi.Summary, "Send notifications again: those of ids, or the failed ones of a time"),
    HttpApiEndpoint.get("deliveries", "/accounts/:accountId/webhooks/:id/deliveries", {
      params: resourcePath,
      query: listing(["Time", "Id", "Count"]),
      success: envelope(listOf(WebhookDeliveryShape))
    }).annotate(OpenApi.Summary, "List attempts, and notifications before their first attempt")
  )
  .pipe(
    requiring({
      notifications: "webhooks:read",
      notification: "webhooks:read",
      resend: "webhooks:write",
      create: "webhooks:write",
      list: "webhooks:read",
      remove: "webhooks:write",
      test: "webhooks:write",
      rotateSecret: "webhooks:write",
      deliveries: "webhooks:read"
    })
  ) {}
