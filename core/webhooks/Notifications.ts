/**
 * Makes the notifications of what happened to emails (public-api, Webhooks about email).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { ContactStore } from "../ports/ContactStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { EmailEvent } from "../sending/EmailEvent.ts"
import { Ids } from "../shared/Ids.ts"
import { makeAlarms } from "./Alarms.ts"
import { emailBody } from "./Payload.ts"
import type { NewNotification, Webhook } from "./Webhook.ts"

/** Whether a webhook is told of an event. */
const wants = ({ events }: Webhook, event: EmailEvent): boolean =>
  events.length === 0 || events.includes(event.type)

/**
 * A function that makes, in the caller's transaction, the notifications of happenings: one for each active webhook of
 * the account that wants it, at most once for each (webhook, email, event), which the store holds. One statement when
 * no account has a webhook, else a fixed number and one look-up of contacts for each account.
 */
export const makeNotifications = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const notifications = yield* NotificationStore
  const webhooks = yield* WebhookStore
  const ids = yield* Ids
  const setAlarms = yield* makeAlarms

  /** The contacts of an account's addresses. */
  const contactIds = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<EmailEvent>) {
    const emails = [...new Set(events.map((event) => event.email))]
    const found = yield* contacts.find(accountId, { ids: [], externalIds: [], emails })
    return new Map(found.map((contact) => [contact.email, contact.id]))
  })

  return Effect.fnUntraced(function* (events: ReadonlyArray<EmailEvent>) {
    if (events.length === 0) return
    const active = yield* webhooks.active([...new Set(events.map((event) => event.accountId))])
    if (active.length === 0) return
    const byAccount = Map.groupBy(events, (event) => event.accountId)
    const now = yield* Clock.currentTimeMillis
    const made: Array<NewNotification> = []
    for (const [accountId, listening] of Map.groupBy(active, (webhook) => webhook.accountId)) {
      const wanted = byAccount
        .get(accountId)!
        .flatMap((event) =>
          listening.filter((webhook) => wants(webhook, event)).map((webhook) => ({ event, webhook }))
        )
      if (wanted.length === 0) continue
      const known = yield* contactIds(
        accountId,
        wanted.map(({ event }) => event)
      )
      const newIds = yield* ids.many(wanted.length)
      for (const [index, { event, webhook }] of wanted.entries()) {
        const id = newIds[index]!
        made.push({
          id,
          accountId,
          webhookId: webhook.id,
          type: event.type,
          deliveryId: event.deliveryId,
          body: emailBody(id, event, known.get(event.email) ?? null),
          createdAt: now
        })
      }
    }
    if (made.length === 0) return
    const added = new Set(yield* notifications.insert(made))
    yield* setAlarms(made.filter(({ id }) => added.has(id)).map((one) => ({ ...one, at: now })))
  })
})
