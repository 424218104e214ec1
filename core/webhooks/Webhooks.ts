/**
 * The operator's use cases on webhooks (public-api, Webhooks about email; decisions 7).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { NotificationStore } from "../ports/NotificationStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { refuseOn, retryConflicts } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Page, PageRequest } from "../shared/Page.ts"
import { type Issue, issue, Problem, type Unavailable } from "../shared/Problem.ts"
import { checkText } from "../shared/Validate.ts"
import { makeWebhookWakeups } from "./WebhookWakeups.ts"
import { testBody } from "./Payload.ts"
import { makeSigningKeys } from "./SigningKeys.ts"
import {
  type DeliveryLogEntry,
  maxActiveWebhooks,
  type Webhook,
  type WebhookEventType,
  webhookEventTypes,
  type WebhookRef
} from "../model/Webhook.ts"
import { rotate } from "./WebhookRules.ts"

const maxUrl = 2048
const maxDescription = 300

/** A webhook that is asked for. */
export interface NewWebhook {
  readonly url: string
  /** Names of events; empty for all, later ones included. */
  readonly events: ReadonlyArray<string>
  readonly description?: string | null | undefined
}

/** A webhook just made: the only time its secret is shown. */
export interface IssuedWebhook {
  readonly webhook: Webhook
  readonly secret: string
}

/** The operator's use cases on webhooks. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Makes a webhook. validation.*, webhooks.url_invalid, webhooks.event_unknown; webhooks.limit_reached with 20
     * active ones.
     */
    readonly create: (
      accountId: string,
      request: NewWebhook,
      actor: string
    ) => Effect.Effect<IssuedWebhook, Problem | Unavailable>
    /** An account's webhooks, newest first, stopped ones included. */
    readonly list: (accountId: string, page: PageRequest) => Effect.Effect<Page<Webhook>, Unavailable>
    /** Removes a webhook and cancels at once what it was still to be told. common.not_found. */
    readonly remove: (ref: WebhookRef, actor: string) => Effect.Effect<void, Problem | Unavailable>
    /** Makes a test notification, whatever the webhook's events; its id. common.not_found, webhooks.stopped. */
    readonly test: (ref: WebhookRef, actor: string) => Effect.Effect<string, Problem | Unavailable>
    /** Makes a new secret; the one before signs beside it for 24 hours. common.not_found. */
    readonly rotateSecret: (ref: WebhookRef, actor: string) => Effect.Effect<string, Problem | Unavailable>
    /** What was sent and what waits, newest first. common.not_found. */
    readonly deliveries: (
      ref: WebhookRef,
      page: PageRequest
    ) => Effect.Effect<Page<DeliveryLogEntry>, Problem | Unavailable>
  }
>()("svc/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const notifications = yield* NotificationStore
      const client = yield* WebhookClient
      const transaction = yield* Transaction
      const { record } = yield* AuditTrail
      const keys = yield* makeSigningKeys
      const scheduleWakeups = yield* makeWebhookWakeups
      const ids = yield* Ids

      const checkNew = ({ description, events, url }: NewWebhook) => {
        const issues: Array<Issue> = []
        const address = checkText(url, "url", maxUrl, issues)
        const about = checkText(description ?? "", "description", maxDescription, issues)
        if (issues.every(({ field }) => field !== "url") && !client.accepts(address)) {
          issues.push(issue("webhooks.url_invalid", "url"))
        }
        events.forEach((event, index) => {
          if (!isEventType(event)) issues.push(issue("webhooks.event_unknown", `events[${index}]`))
        })
        const chosen = [...new Set(events.filter(isEventType))]
        return (
          Problem.from(issues) ?? { url: address, events: chosen, description: about === "" ? null : about }
        )
      }

      /** Runs a change of one webhook, locked, in a transaction. */
      const changing = <A, E>(
        ref: WebhookRef,
        change: (webhook: Webhook, now: number) => Effect.Effect<A, E>
      ) =>
        retryConflicts(
          transaction.run(
            Effect.gen(function* () {
              const [webhook] = yield* store.lock([ref])
              if (webhook === undefined) return yield* Problem.of("common.not_found")
              return yield* change(webhook, yield* Clock.currentTimeMillis)
            })
          )
        )

      const create = Effect.fn("Webhooks.create")(function* (
        accountId: string,
        request: NewWebhook,
        actor: string
      ) {
        const checked = checkNew(request)
        if (checked instanceof Problem) return yield* checked
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
        const written = transaction.run(
          Effect.andThen(
            store.insert(webhook, maxActiveWebhooks),
            record(actor, {
              accountId,
              action: "webhook.created",
              target: id,
              before: null,
              after: summaryOf(webhook)
            })
          )
        )
        yield* retryConflicts(refuseOn("webhooks_active", limitReached)(written))
        return { webhook, secret }
      })

      const remove = Effect.fn("Webhooks.remove")(function* (ref: WebhookRef, actor: string) {
        yield* retryConflicts(
          transaction.run(
            Effect.gen(function* () {
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
            })
          )
        )
      })

      const test = Effect.fn("Webhooks.test")(function* (ref: WebhookRef, actor: string) {
        return yield* changing(ref, (webhook, now) =>
          Effect.gen(function* () {
            if (webhook.status === "Stopped") return yield* Problem.of("webhooks.stopped")
            const id = yield* ids.next
            const type = "webhook.test"
            const body = testBody(id, now)
            yield* notifications.insert([{ id, ...ref, type, deliveryId: null, body, createdAt: now }])
            yield* scheduleWakeups([{ ...ref, at: now }])
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
      })

      const rotateSecret = Effect.fn("Webhooks.rotateSecret")(function* (ref: WebhookRef, actor: string) {
        const { sealed, secret } = yield* keys.make(ref)
        yield* changing(ref, (webhook, now) =>
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
      })

      const deliveries = Effect.fn("Webhooks.deliveries")(function* (ref: WebhookRef, page: PageRequest) {
        const [webhook] = yield* store.find([ref])
        if (webhook === undefined) return yield* Problem.of("common.not_found")
        return yield* notifications.log(ref, page)
      })

      return Webhooks.of({ create, list: store.list, remove, test, rotateSecret, deliveries })
    })
  )
}

const isEventType = (name: string): name is WebhookEventType =>
  webhookEventTypes.includes(name as WebhookEventType)

/** For the audit log: without secrets, and without the part of the URL that may hold one. */
const summaryOf = ({ events, status, url }: Webhook) => ({
  host: new URL(url).hostname,
  events,
  status
})
