/**
 * Defines the requests that webhooks receive (docs/contributing/public-api.md "Webhooks about email").
 *
 * @module
 */
import { Schema } from "effect"
import { type WebhookEventType, webhookEventTypes } from "../../../core/model/Webhook.ts"
import { visitVerdicts } from "../../../core/model/Visit.ts"
import { exampleIds, exampleTimestamp } from "./notes/examples.ts"
import { id, timestamp } from "./Fields.ts"

/** An event of webhooks. */
export interface WebhookNotes {
  readonly summary: string
  /** The fields of `data` that have a value. */
  readonly data: Schema.Struct<Schema.Struct.Fields>
  readonly example: Readonly<Record<string, string>>
}

const messageId = id.annotate({
  description: "The id that sending the email returned, or that of a campaign's or flow's email"
})

const email = {
  message_id: messageId,
  email: Schema.String.annotate({ description: "The recipient's address" }),
  contact_id: Schema.optionalKey(id.annotate({ description: "When the email went to a contact" })),
  source_id: Schema.optionalKey(id.annotate({ description: "The campaign or flow that sent it" }))
}

const emailExample = {
  message_id: exampleIds.email,
  email: "ada@example.com",
  contact_id: exampleIds.contact
}

const visitor = {
  visitor: Schema.optionalKey(
    Schema.Literals(visitVerdicts).annotate({
      description: "Who probably made the first visit; only for webhooks that request this field"
    })
  )
}

const campaign = { source_id: id.annotate({ description: "The campaign" }) }

const plain = (summary: string): WebhookNotes => ({
  summary,
  data: Schema.Struct(email),
  example: emailExample
})

/** Every webhook event. */
export const webhookNotes: Readonly<Record<WebhookEventType, WebhookNotes>> = {
  "email.sent": plain("The email left for the receiving server; it has not arrived yet"),
  "email.delivered": plain("The recipient's mail server received it"),
  "email.bounced": {
    summary: "The address was rejected permanently",
    data: Schema.Struct({ ...email, reason: Schema.String }),
    example: { ...emailExample, reason: "550 5.1.1 No such user" }
  },
  "email.complained": {
    summary: "The person marked it as spam",
    data: Schema.Struct({ ...email, reason: Schema.optionalKey(Schema.String) }),
    example: { ...emailExample, reason: "abuse" }
  },
  "email.opened": {
    summary: "It was opened for the first time; a privacy feature may have done so",
    data: Schema.Struct({ ...email, ...visitor }),
    example: emailExample
  },
  "email.clicked": {
    summary: "A link was clicked for the first time; a link scanner may have done so",
    data: Schema.Struct({
      ...email,
      ...visitor,
      url: Schema.String.annotate({ format: "uri", description: "The link" })
    }),
    example: { ...emailExample, url: "https://shop.example/teapot" }
  },
  "campaign.paused": {
    summary: "A campaign was paused by the service; it sends nothing until it is resumed",
    data: Schema.Struct({ ...campaign, reason: Schema.String }),
    example: { source_id: exampleIds.flow, reason: "campaigns.bounces" }
  },
  "campaign.sent": {
    summary: "A campaign has reached everyone of its audience; retries of its emails continue",
    data: Schema.Struct(campaign),
    example: { source_id: exampleIds.flow }
  },
  "webhook.test": {
    summary: "A test of the address, sent on request",
    data: Schema.Struct({ reason: Schema.String }),
    example: { reason: "A test of this webhook, sent on request." }
  }
}

/** The body of an event's notification. Fields without a value are omitted. */
export const webhookBody = (type: WebhookEventType) =>
  Schema.Struct({
    id: id.annotate({ description: "The notification's id, the same as the header webhook-id" }),
    type: Schema.Literal(type),
    created_at: timestamp,
    data: webhookNotes[type].data
  }).annotate({ identifier: `Webhook.${type}` })

/** An event's example. */
export const webhookExample = (type: WebhookEventType) => ({
  id: exampleIds.notification,
  type,
  created_at: exampleTimestamp,
  data: webhookNotes[type].example
})

/** Every event's body, by its name. */
export const webhookBodies = Object.fromEntries(webhookEventTypes.map((type) => [type, webhookBody(type)]))

/** The headers of every notification, as Standard Webhooks defines them. */
export const webhookHeaders = {
  "webhook-id": "Identifies the notification; the same at every attempt",
  "webhook-timestamp": "When this attempt was made, in Unix seconds; reject what is more than 5 minutes off",
  "webhook-signature":
    "One or more signatures, separated by spaces, each `v1,<base64>`: HMAC-SHA256 over " +
    "`{webhook-id}.{webhook-timestamp}.{raw body}` by the secret's decoded part after `whsec_`"
} as const
