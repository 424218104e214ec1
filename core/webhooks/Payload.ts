/**
 * Builds the bodies of notifications (docs/contributing/public-api.md "Webhooks about email"). Names are in snake_case, and
 * fields without a value are left out.
 *
 * @module
 */
import type { EmailEvent } from "../model/EmailEvent.ts"
import type { CampaignEventType, WebhookField } from "../model/Webhook.ts"
import { formatDateTime } from "../shared/Validate.ts"

/** The reason in a test notification. */
export const testReason = "A test of this webhook, sent on request."

/** The reason of a bounce without one: an empty report, or the sandbox. */
export const bounceReason = "The address was refused for good."

/** A bounce always has a reason, a complaint may have one. */
const reasonOf = ({ reason, type }: EmailEvent): string | null => {
  if (type === "email.bounced") return reason ?? bounceReason
  return type === "email.complained" ? reason : null
}

const present = (fields: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null))

const format = (
  id: string,
  type: string,
  at: number,
  data: Readonly<Record<string, string | null>>
): string => JSON.stringify({ id, type, created_at: formatDateTime(at), data: present(data) })

/** The contact of an email, and the flow or campaign that sent it. */
export interface EmailContext {
  /** The contact with the recipient's address; null if there is none. */
  readonly contactId: string | null
  /** The flow or campaign that sent the email; null if none did. */
  readonly sourceId: string | null
}

/** The body of a notification about an email, with the additional fields that the webhook asks for. */
export const emailBody = (
  id: string,
  event: EmailEvent,
  { contactId, sourceId }: EmailContext,
  fields: ReadonlyArray<WebhookField> = []
): string =>
  format(id, event.type, event.at, {
    message_id: event.deliveryId,
    email: event.email,
    contact_id: contactId,
    source_id: sourceId,
    url: event.type === "email.clicked" ? event.url : null,
    visitor: fields.includes("visitor") ? event.visitor : null,
    reason: reasonOf(event)
  })

/** The body of a notification about a campaign. The reason is that of a pause. */
export const campaignBody = (
  id: string,
  type: CampaignEventType,
  campaignId: string,
  reason: string | null,
  at: number
): string => format(id, type, at, { source_id: campaignId, reason })

/** The body of a test notification. */
export const testBody = (id: string, at: number): string =>
  format(id, "webhook.test", at, { reason: testReason })
