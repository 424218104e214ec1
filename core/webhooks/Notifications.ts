/**
 * Makes the notifications of what happened to emails (public-api, Webhooks about email).
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { ContactStore } from "../ports/ContactStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { EmailEvent } from "../model/EmailEvent.ts"
import { Ids } from "../kernel/Ids.ts"
import { makeWebhookWakeups } from "./WebhookWakeups.ts"
import { type EmailContext, emailBody } from "./Payload.ts"
import type { NewNotification, Webhook } from "../model/Webhook.ts"

/** Whether a webhook is told of an event. */
const wants = ({ events }: Webhook, event: EmailEvent): boolean =>
  events.length === 0 || events.includes(event.type)

/**
 * A function that makes, in the caller's transaction, the notifications of contactEvents: one for each active webhook of
 * the account that wants it, at most once for each (webhook, email, event), which the store holds. One statement when
 * no account has a webhook, else a fixed number and two look-ups for each account.
 */
export const makeNotifications = Effect.gen(function* () {
  const contacts = yield* ContactStore
  const submissions = yield* SubmissionStore
  const notifications = yield* NotificationStore
  const webhooks = yield* WebhookStore
  const ids = yield* Ids
  const scheduleWakeups = yield* makeWebhookWakeups

  /** The contacts and flows that an account's emails have to do with. */
  const contextsOf = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<EmailEvent>) {
    const emails = [...new Set(events.map((event) => event.email))]
    const [found, sent] = yield* Effect.all(
      [
        contacts.find(accountId, { ids: [], externalIds: [], emails }),
        submissions.flowsOf(accountId, [...new Set(events.map((event) => event.submissionId))])
      ],
      { concurrency: "unbounded" }
    )
    const contactIds = new Map(found.map((contact) => [contact.email, contact.id]))
    const flowIds = new Map(sent.map(({ flowId, id }) => [id, flowId]))
    return (event: EmailEvent): EmailContext => ({
      contactId: contactIds.get(event.email) ?? null,
      sourceId: flowIds.get(event.submissionId) ?? null
    })
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
      const contextOf = yield* contextsOf(
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
          body: emailBody(id, event, contextOf(event)),
          createdAt: now
        })
      }
    }
    if (made.length === 0) return
    const added = new Set(yield* notifications.insert(made))
    yield* scheduleWakeups(made.filter(({ id }) => added.has(id)).map((one) => ({ ...one, at: now })))
  })
})
