/**
 * The bodies of notifications (public-api, Webhooks about email): snake_case, fields without a value left out.
 *
 * @module
 */
import type { EmailEvent } from "../model/EmailEvent.ts"
import { formatDateTime } from "../shared/Validate.ts"

/** What a test notification gives as its reason. */
export const testReason = "A test of this webhook, sent on request."

/** Why an email bounced when nobody said: an empty report, or the sandbox. */
export const bounceReason = "The address was refused for good."

/** Of a bounce always one, since it is told why. */
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

/** What an email has to do with. */
export interface EmailContext {
  /** The contact it went to; null when it went to no contact. */
  readonly contactId: string | null
  /** The flow that sent it; null when none did. */
  readonly sourceId: string | null
}

/** The body that tells of an email. */
export const emailBody = (id: string, event: EmailEvent, { contactId, sourceId }: EmailContext): string =>
  format(id, event.type, event.at, {
    message_id: event.deliveryId,
    email: event.email,
    contact_id: contactId,
    source_id: sourceId,
    url: event.type === "email.clicked" ? event.url : null,
    reason: reasonOf(event)
  })

/** The body of a test. */
export const testBody = (id: string, at: number): string =>
  format(id, "webhook.test", at, { reason: testReason })
