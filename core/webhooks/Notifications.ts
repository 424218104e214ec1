/**
 * Creates the notifications of email and campaign events (docs/contributing/public-api.md "Webhooks about email").
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { ContactStore } from "../ports/ContactStore.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { SubmissionStore } from "../ports/SubmissionStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { EmailEvent } from "../model/EmailEvent.ts"
import { builtOnce } from "../kernel/builtOnce.ts"
import { Ids } from "../kernel/Ids.ts"
import { LiveNotes } from "../kernel/LiveNotes.ts"
import { WebhookWakeups } from "./WebhookWakeups.ts"
import { campaignBody, type EmailContext, emailBody } from "./Payload.ts"
import type { CampaignEventType, NewNotification, Webhook, WebhookEventType } from "../model/Webhook.ts"

const isSubscribed = ({ events }: Webhook, { type }: { readonly type: WebhookEventType }): boolean =>
  events.length === 0 || events.includes(type)

/** Creates notifications. */
export class Notifications extends Context.Service<Notifications>()("svc/webhooks/Notifications", {
  make: Effect.gen(function* () {
    const contacts = yield* ContactStore
    const submissions = yield* SubmissionStore
    const notifications = yield* NotificationStore
    const webhooks = yield* WebhookStore
    const ids = yield* Ids
    const { note } = yield* LiveNotes
    const wakeups = yield* WebhookWakeups

    /** The contacts, flows and campaigns of an account's emails. */
    const contextsOf = Effect.fnUntraced(function* (accountId: string, events: ReadonlyArray<EmailEvent>) {
      const emails = [...new Set(events.map((event) => event.email))]
      const [found, sent] = yield* Effect.all(
        [
          contacts.find(accountId, { ids: [], externalIds: [], emails }),
          submissions.originsOf(accountId, [...new Set(events.map((event) => event.submissionId))])
        ],
        { concurrency: "unbounded" }
      )
      const contactIds = new Map(found.map((contact) => [contact.email, contact.id]))
      const sourceIds = new Map(sent.map(({ id, sourceId }) => [id, sourceId]))
      return (event: EmailEvent): EmailContext => ({
        contactId: contactIds.get(event.email) ?? null,
        sourceId: sourceIds.get(event.submissionId) ?? null
      })
    })

    /** The notifications of an account's events for its active webhooks. */
    const draftNotifications = Effect.fnUntraced(function* (
      accountId: string,
      events: ReadonlyArray<EmailEvent>,
      active: ReadonlyArray<Webhook>,
      createdAt: number
    ) {
      const wanted = events.flatMap((event) =>
        active.filter((webhook) => isSubscribed(webhook, event)).map((webhook) => ({ event, webhook }))
      )
      if (wanted.length === 0) return []
      const contextOf = yield* contextsOf(
        accountId,
        wanted.map(({ event }) => event)
      )
      const newIds = yield* ids.many(wanted.length)
      return wanted.map(({ event, webhook }, index): NewNotification => {
        const id = newIds[index]!
        return {
          id,
          accountId,
          webhookId: webhook.id,
          type: event.type,
          deliveryId: event.deliveryId,
          body: emailBody(id, event, contextOf(event), webhook.fields),
          createdAt
        }
      })
    })

    return {
      /** Creates the notifications of an event of a campaign, in the caller's transaction. */
      createOfCampaign: Effect.fn("Notifications.createOfCampaign")(function* (
        accountId: string,
        event: {
          readonly type: CampaignEventType
          readonly campaignId: string
          /** Why the campaign was paused; null if it was not. */
          readonly reason: string | null
        }
      ) {
        const active = (yield* webhooks.active([accountId])).filter((webhook) => isSubscribed(webhook, event))
        if (active.length === 0) return
        const now = yield* Clock.currentTimeMillis
        const newIds = yield* ids.many(active.length)
        const drafts = active.map((webhook, index): NewNotification => {
          const id = newIds[index]!
          const body = campaignBody(id, event.type, event.campaignId, event.reason, now)
          const { type } = event
          return { id, accountId, webhookId: webhook.id, type, deliveryId: null, body, createdAt: now }
        })
        yield* notifications.insert(drafts)
        yield* wakeups.schedule(drafts.map((one) => ({ ...one, at: now })))
      }),
      /**
       * Creates the notifications of events, in the caller's transaction: one for each active webhook of the account that is
       * subscribed to the event. Storage enforces that there is at most one for each webhook, email and event. Needs one
       * statement if no account has a webhook; otherwise a fixed number, and two lookups for each account. Streams show the
       * notifications in any case.
       */
      create: Effect.fn("Notifications.create")(function* (events: ReadonlyArray<EmailEvent>) {
        if (events.length === 0) return
        yield* note(
          events.map((event) => ({
            accountId: event.accountId,
            topic: "notifications",
            change: "Created",
            itemId: event.submissionId,
            about: event
          }))
        )
        const active = yield* webhooks.active([...new Set(events.map((event) => event.accountId))])
        if (active.length === 0) return
        const byAccount = Map.groupBy(events, (event) => event.accountId)
        const now = yield* Clock.currentTimeMillis
        const drafts = (yield* Effect.forEach(
          Map.groupBy(active, (webhook) => webhook.accountId),
          ([accountId, webhooksOfAccount]) =>
            draftNotifications(accountId, byAccount.get(accountId)!, webhooksOfAccount, now)
        )).flat()
        if (drafts.length === 0) return
        const added = new Set(yield* notifications.insert(drafts))
        yield* wakeups.schedule(drafts.filter(({ id }) => added.has(id)).map((one) => ({ ...one, at: now })))
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Notifications, Notifications.make).pipe(
    Layer.provide(WebhookWakeups.layer),
    builtOnce
  )
}
