/**
 * Webhooks: endpoints, the notifications about emails and campaigns that they receive, and the attempts to send these
 * (docs/contributing/public-api.md "Webhooks about email").
 *
 * @module
 */
import { emailEventTypes } from "./EmailEvent.ts"

/** The events of a campaign: the service paused it, or every person of its audience was decided on and sending was tried. */
export const campaignEventTypes = ["campaign.paused", "campaign.sent"] as const

/** The kind of an event of a campaign. */
export type CampaignEventType = (typeof campaignEventTypes)[number]

/** The events about which a webhook can be notified. */
export const webhookEventTypes = [...emailEventTypes, ...campaignEventTypes, "webhook.test"] as const

/** The name of an event. */
export type WebhookEventType = (typeof webhookEventTypes)[number]

/** The most active webhooks of an account. */
export const maxActiveWebhooks = 20

/** A signing secret, sealed. */
export interface SigningSecret {
  readonly sealed: string
  /** Until when it signs, epoch milliseconds; null for the newest, which signs until it is replaced. */
  readonly until: number | null
}

/** Every status of a webhook. */
export const webhookStatuses = ["Active", "Stopped"] as const

/** Whether a webhook gets notifications. A stopped webhook stays stopped: it must be deleted and added again. */
export type WebhookStatus = (typeof webhookStatuses)[number]

/** The optional fields that a webhook can request, in addition to those in every notification. */
export const webhookFields = ["visitor"] as const

/** An optional field of notifications. */
export type WebhookField = (typeof webhookFields)[number]

/** An endpoint that gets notifications. */
export interface Webhook {
  readonly id: string
  readonly accountId: string
  readonly url: string
  /** The events about which it is notified; empty for all, including those of later versions. */
  readonly events: ReadonlyArray<WebhookEventType>
  /** The optional fields of its notifications. */
  readonly fields: ReadonlyArray<WebhookField>
  readonly description: string | null
  /** Newest first. */
  readonly secrets: ReadonlyArray<SigningSecret>
  readonly status: WebhookStatus
  readonly stoppedReason: string | null
  /** The number of failed attempts since the last successful one. */
  readonly failuresInARow: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Identifies a webhook of an account. */
export interface WebhookRef {
  readonly accountId: string
  readonly webhookId: string
}

/** The purpose with which SecretBox seals a webhook's secrets, so that none can be replaced by another. */
export const webhookPurpose = ({ accountId, webhookId }: WebhookRef): string =>
  `webhook ${accountId} ${webhookId}`

/** The states of a notification. Only Pending notifications are sent; the other states are final, unless it is sent again. */
export const notificationStates = ["Pending", "Succeeded", "Failed", "Cancelled"] as const

/** The state of a notification. */
export type NotificationState = (typeof notificationStates)[number]

/** The most attempts of a notification, including those made because it was sent again. */
export const maxLoggedAttempts = 100

/** A notification as lists show it. */
export interface NotificationSummary {
  readonly id: string
  readonly webhookId: string
  readonly type: WebhookEventType
  /** The delivery that it is about; null for a test and for an event of a campaign. */
  readonly deliveryId: string | null
  readonly state: NotificationState
  /** Attempts made. */
  readonly attempts: number
  /** Epoch milliseconds, like the next. */
  readonly createdAt: number
  /** When the next attempt is due; null unless Pending. */
  readonly nextAttemptAt: number | null
}

/** A new notification. */
export interface NewNotification extends WebhookRef {
  readonly id: string
  readonly type: WebhookEventType
  /** The delivery that it is about; null for a test and for an event of a campaign. */
  readonly deliveryId: string | null
  /** The body of the request; every attempt sends the same bytes. */
  readonly body: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A claimed notification. The claim holds until `claimedUntil`, or until the notification is completed or released. */
export interface ClaimedNotification extends NewNotification {
  /** Attempts made before. */
  readonly attempts: number
  /** How often it was claimed, including this claim. Together with the id it fences the claim. */
  readonly claims: number
  /** Epoch milliseconds. */
  readonly claimedUntil: number
}

/** The result of an attempt. */
export interface AttemptAnswer {
  /** The HTTP status; null without a response. */
  readonly httpStatus: number | null
  /** Why it failed, a code such as `timeout`; null if there is a status. */
  readonly error: string | null
  /** From the start of the connection to the status line or the failure, milliseconds. */
  readonly durationMs: number
  /** The beginning of the response's body; null for none. */
  readonly answer: string | null
}

/** Whether an attempt succeeded: any 2xx. */
export const succeeded = ({ httpStatus }: Pick<AttemptAnswer, "httpStatus">): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

/** An entry of a webhook's delivery log: an attempt, or a notification that waits for its first attempt. */
export interface DeliveryLogEntry {
  readonly notificationId: string
  readonly type: WebhookEventType
  /** The number of the attempt, from 1; 0 before the first. */
  readonly attempt: number
  /** When the attempt ended; before the first, when the notification was created. Epoch milliseconds. */
  readonly at: number
  readonly httpStatus: number | null
  readonly error: string | null
  readonly durationMs: number | null
  /** Epoch milliseconds; only on the last entry of a Pending notification. */
  readonly nextAttemptAt: number | null
  /** The state of the notification, for its last entry; for earlier ones, whether that attempt succeeded or failed. */
  readonly state: NotificationState
}

/** An attempt of a notification. */
export interface NotificationAttempt extends AttemptAnswer {
  /** From 1. */
  readonly attempt: number
  /** When it ended, epoch milliseconds. */
  readonly at: number
}

/** A notification with its request, and the responses to it. */
export interface NotificationDetail extends NotificationSummary {
  /** The request's body. */
  readonly body: string
  /** The attempts, oldest first. */
  readonly log: ReadonlyArray<NotificationAttempt>
}
