/**
 * Webhooks: addresses that are told what happens to emails, what they are told, and what came of telling them
 * (public-api, Webhooks about email).
 *
 * @module
 */
import { emailEventTypes } from "./EmailEvent.ts"

/** What a webhook can be told. */
export const webhookEventTypes = [...emailEventTypes, "webhook.test"] as const

/** The name of an event. */
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** The most active webhooks of an account. */
export const maxActiveWebhooks = 20

/** A signing secret, sealed. */
export interface SigningSecret {
  readonly sealed: string
  /** Until when it signs, epoch milliseconds; null for the newest, which signs until another takes its place. */
  readonly until: number | null
}

/** Whether a webhook is told anything. One that was stopped stays so: it must be deleted and added again. */
export type WebhookStatus = "Active" | "Stopped"

/** An address that is told. */
export interface Webhook {
  readonly id: string
  readonly accountId: string
  readonly url: string
  /** The events it is told; empty for all, those of later versions included. */
  readonly events: ReadonlyArray<WebhookEventType>
  readonly description: string | null
  /** Newest first. */
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly status: WebhookStatus
  readonly stoppedReason: string | null
  /** Failed attempts since the last one that succeeded. */
  readonly failuresInARow: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A webhook in an account. */
export interface WebhookRef {
  readonly accountId: string
  readonly webhookId: string
}

/** What becomes of a notification. Only a Pending one is sent; the others are final. */
export type NotificationState = "Pending" | "Succeeded" | "Failed" | "Cancelled"

/** Something a webhook is told. */
export interface NewNotification extends WebhookRef {
  readonly id: string
  readonly type: WebhookEventType
  /** The email it is about; null for a test. */
  readonly deliveryId: string | null
  /** The request's body, the same bytes at every attempt. */
  readonly body: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A notification taken to be sent: ours until `claimedUntil`, unless settled or released before. */
export interface ClaimedNotification extends NewNotification {
  /** Attempts made before. */
  readonly attempts: number
  /** How often it was claimed, this time included. With the id it fences the claim. */
  readonly claims: number
  /** Epoch milliseconds. */
  readonly claimedUntil: number
}

/** What came of one attempt. */
export interface AttemptAnswer {
  /** The HTTP status; null when none arrived. */
  readonly httpStatus: number | null
  /** Why it failed, a word such as `timeout`; null where the status says it all. */
  readonly error: string | null
  /** From the connection's beginning to the status line, or to the failure. */
  readonly durationMs: number
  /** The beginning of the answer's body; null when there was none. */
  readonly answer: string | null
}

/** A line of a webhook's delivery log: an attempt, or a notification that waits for its first. */
export interface DeliveryLogEntry {
  readonly notificationId: string
  readonly type: WebhookEventType
  /** From 1; 0 before the first. */
  readonly attempt: number
  /** When the attempt ended; when the notification was made, before the first. Epoch milliseconds. */
  readonly at: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly durationMs: number | null
  /** Epoch milliseconds; only of a notification's last line, while it is Pending. */
  readonly nextAttemptAt: number | null
  /** The notification's on its last line; Failed on those before. */
  readonly state: NotificationState
}
