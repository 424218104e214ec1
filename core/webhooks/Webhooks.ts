/**
 * The use cases of operators on webhooks (docs/contributing/public-api.md "Webhooks about email";
 * docs/contributing/decisions.md 7).
 *
 * @module
 */
import { Clock, Context, Effect, Layer, type Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { type NotificationFilter, NotificationStore } from "../ports/NotificationStore.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import { parseEmail } from "../shared/EmailAddress.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { Issues, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText } from "../shared/Validate.ts"
import { WebhookWakeups } from "./WebhookWakeups.ts"
import { testBody } from "./Payload.ts"
import { SigningKeys } from "./SigningKeys.ts"
import {
  type DeliveryLogEntry,
  maxActiveWebhooks,
  type NotificationDetail,
  type NotificationSummary,
  type Webhook,
  type WebhookEventType,
  type WebhookField,
  webhookEventTypes,
  type WebhookRef
} from "../model/Webhook.ts"
import { rotate } from "./WebhookRules.ts"

const maxUrl = 2048
const maxDescription = 300

/** A request for a new webhook. */
export interface NewWebhook {
  readonly url: string
  /** Event names; empty for all events, including those of later versions. */
  readonly events: ReadonlyArray<string>
  /** The additional fields of its notifications; none if left out. */
  readonly fields?: ReadonlyArray<WebhookField> | null | undefined
  readonly description?: string | null | undefined
}

/** A new webhook with its secret, which is shown only once. */
export interface IssuedWebhook {
  readonly webhook: Webhook
  readonly secret: string
}

/** Manages the webhooks of accounts for operators. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Creates a webhook. Fails with validation.*, webhooks.url_invalid, webhooks.event_unknown, and with
     * webhooks.limit_reached if the account has 20 active webhooks.
     */
    readonly create: (
      accountId: string,
      request: NewWebhook,
      actor: Actor
    ) => Effect.Effect<IssuedWebhook, Problem | Unavailable>
    /** Lists an account's webhooks, newest first, including stopped ones. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Webhook>, Unavailable>
    /** Deletes a webhook and cancels its Pending notifications. Fails with common.not_found. */
    readonly remove: (ref: WebhookRef, actor: Actor) => Effect.Effect<void, Problem | Unavailable>
    /**
     * Creates a test notification, whatever events the webhook is subscribed to, and returns its id. Fails with
     * common.not_found and webhooks.stopped.
     */
    readonly test: (ref: WebhookRef, actor: Actor) => Effect.Effect<string, Problem | Unavailable>
    /** Creates a new secret and returns it. The previous secret keeps signing for 24 hours. Fails with common.not_found. */
    readonly rotateSecret: (ref: WebhookRef, actor: Actor) => Effect.Effect<string, Problem | Unavailable>
    /** Lists an account's notifications, newest first. */
    readonly notifications: (
      accountId: string,
      filter: NotificationFilter,
      page: PageRequest
    ) => Effect.Effect<Page<NotificationSummary>, Unavailable>
    /**
     * Returns a notification with its attempts and its webhook's URL, which is null if the webhook was deleted. Fails with
     * common.not_found.
     */
    readonly notification: (
      accountId: string,
      id: string
    ) => Effect.Effect<
      { readonly notification: NotificationDetail; readonly url: string | null },
      Problem | Unavailable
    >
    /** Lists the attempts made and the waiting notifications, newest first. Fails with common.not_found. */
    readonly deliveries: (
      ref: WebhookRef,
      page: PageRequest
    ) => Effect.Effect<Page<DeliveryLogEntry>, Problem | Unavailable>
  }
>()("svc/webhooks/Webhooks", {
  make: Effect.gen(function* () {
    const store = yield* WebhookStore
    const notifications = yield* NotificationStore
    const client = yield* WebhookClient
    const atomically = yield* Atomically
    const { record } = yield* AuditTrail
    const keys = yield* SigningKeys
    const wakeups = yield* WebhookWakeups
    const ids = yield* Ids

    const parseNew = ({
      description,
      events,
      fields,
      url
    }: NewWebhook): Result.Result<Pick<Webhook, "description" | "events" | "fields" | "url">, Problem> => {
      const issues = new Issues()
      const address = checkText(url, "url", maxUrl, issues)
      const about = checkText(description ?? "", "description", maxDescription, issues)
      if (issues.list.every(({ field }) => field !== "url") && !client.accepts(address)) {
        issues.add("webhooks.url_invalid", "url")
      }
      events.forEach((event, index) => {
        if (!isEventType(event))
          issues.add("webhooks.event_unknown", `events[${index}]`, null, {
            value: event,
            known: webhookEventTypes.join(", ")
          })
      })
      return issues.result({
        url: address,
        events: [...new Set(events.filter(isEventType))],
        fields: [...new Set(fields ?? [])],
        description: about === "" ? null : about
      })
    }

    /** Changes one webhook, locked, in a transaction. */
    const changeLocked = <A, E>(
      ref: WebhookRef,
      change: (webhook: Webhook, now: number) => Effect.Effect<A, E>
    ) =>
      atomically(
        Effect.gen(function* () {
          const [webhook] = yield* store.lock([ref])
          if (webhook === undefined) return yield* Problem.of("common.not_found")
          return yield* change(webhook, yield* Clock.currentTimeMillis)
        })
      )

    return {
      create: Effect.fn("Webhooks.create")(function* (accountId, request, actor) {
        const checked = yield* Effect.fromResult(parseNew(request))
        const id = yield* ids.next
        const { sealed, secret } = yield* keys.make({ accountId, webhookId: id })
        const webhook: Webhook = {
          id,
          accountId,
          ...checked,
          secrets: [{ sealed, until: null }],
          status: "Active",
          stoppedReason: null,
          failuresInARow: 0,
          createdAt: yield* Clock.currentTimeMillis
        }
        const limitReached = () => Problem.of("webhooks.limit_reached", null, { max: maxActiveWebhooks })
        yield* atomically(
          Effect.andThen(
            refuseOn("webhooks_active", limitReached)(store.insert(webhook, maxActiveWebhooks)),
            record(actor, {
              accountId,
              action: "webhook.created",
              target: id,
              before: null,
              after: summaryOf(webhook)
            })
          )
        )
        return { webhook, secret }
      }),
      list: store.list,
      remove: Effect.fn("Webhooks.remove")(function* (ref, actor) {
        const webhook = yield* store.remove(ref)
        if (webhook === null) return yield* Problem.of("common.not_found")
        yield* notifications.cancel([ref])
        yield* record(actor, {
          accountId: ref.accountId,
          action: "webhook.deleted",
          target: ref.webhookId,
          before: summaryOf(webhook),
          after: null
        })
      }, atomically),
      test: Effect.fn("Webhooks.test")(function* (ref, actor) {
        return yield* changeLocked(ref, (webhook, now) =>
          Effect.gen(function* () {
            if (webhook.status === "Stopped") return yield* Problem.of("webhooks.stopped")
            const id = yield* ids.next
            const type = "webhook.test"
            const body = testBody(id, now)
            yield* notifications.insert([{ id, ...ref, type, deliveryId: null, body, createdAt: now }])
            yield* wakeups.schedule([{ ...ref, at: now }])
            yield* record(actor, {
              accountId: ref.accountId,
              action: "webhook.tested",
              target: ref.webhookId,
              before: null,
              after: { notificationId: id }
            })
            return id
          })
        )
      }),
      rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (ref, actor) {
        const { sealed, secret } = yield* keys.make(ref)
        yield* changeLocked(ref, (webhook, now) =>
          Effect.andThen(
            store.save([{ ...webhook, secrets: rotate(webhook.secrets, sealed, now) }]),
            record(actor, {
              accountId: ref.accountId,
              action: "webhook.secret_rotated",
              target: ref.webhookId,
              before: null,
              after: null
            })
          )
        )
        return secret
      }),
      notifications: (accountId, filter, page) => {
        const { q = null } = filter
        return notifications.list(accountId, { ...filter, q: q === null ? null : (parseEmail(q) ?? q) }, page)
      },
      notification: Effect.fn("Webhooks.notification")(function* (accountId, id) {
        const found = yield* notifications.get(accountId, id)
        if (found === null) return yield* Problem.of("common.not_found")
        const [webhook] = yield* store.find([{ accountId, webhookId: found.webhookId }])
        return { notification: found, url: webhook?.url ?? null }
      }),
      deliveries: Effect.fn("Webhooks.deliveries")(function* (ref, page) {
        const [webhook] = yield* store.find([ref])
        if (webhook === undefined) return yield* Problem.of("common.not_found")
        return yield* notifications.log(ref, page)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(Webhooks, Webhooks.make).pipe(
    Layer.provide([SigningKeys.layer, WebhookWakeups.layer])
  )
}

const isEventType = (name: string): name is WebhookEventType =>
  webhookEventTypes.includes(name as WebhookEventType)

/** A webhook as the audit log shows it: without secrets, and without the parts of the URL that may hold a secret. */
const summaryOf = ({ events, status, url }: Webhook) => ({
  host: new URL(url).hostname,
  events,
  status
})
