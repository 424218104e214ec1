/**
 * Handles the management endpoints of webhooks.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type { DeliveryLogEntry, NotificationSummary, Webhook } from "../../../core/model/Webhook.ts"
import { Webhooks } from "../../../core/webhooks/Webhooks.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { accepted, created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeWebhook = ({
  description,
  events,
  failuresInARow,
  fields,
  id,
  status,
  stoppedReason,
  url
}: Webhook) => ({
  id,
  url,
  events,
  fields,
  description,
  status,
  stoppedReason,
  failuresInARow
})

const encodeDelivery = (entry: DeliveryLogEntry) => ({
  ...entry,
  at: formatDateTime(entry.at),
  nextAttemptAt: dateTimeOrNull(entry.nextAttemptAt)
})

const encodeNotification = ({ createdAt, deliveryId, nextAttemptAt, ...entry }: NotificationSummary) => ({
  ...entry,
  messageId: deliveryId,
  createdAt: formatDateTime(createdAt),
  nextAttemptAt: dateTimeOrNull(nextAttemptAt)
})

/** The webhook that a path names. */
const refOf = ({
  account,
  params
}: {
  readonly account: Account
  readonly params: { readonly id: string }
}) => ({
  accountId: account.id,
  webhookId: params.id
})

/** Webhooks. */
export const webhooksRoutes = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  return bind(ManagementApi.groups.webhooks, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const { secret, webhook } = yield* webhooks.create(account.id, payload, actor)
      return created({ ...encodeWebhook(webhook), secret })
    }),
    list: Effect.fnUntraced(function* ({ account, page }) {
      return ok(listed(page, yield* webhooks.list(account.id, page), encodeWebhook))
    }),
    remove: Effect.fnUntraced(function* (call) {
      yield* webhooks.remove(refOf(call), call.actor)
      return ok(null)
    }),
    test: Effect.fnUntraced(function* (call) {
      return accepted({ notificationId: yield* webhooks.test(refOf(call), call.actor) })
    }),
    rotateSecret: Effect.fnUntraced(function* (call) {
      return ok({ secret: yield* webhooks.rotateSecret(refOf(call), call.actor) })
    }),
    notifications: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* webhooks.notifications(account.id, query, page), encodeNotification))
    }),
    deliveries: Effect.fnUntraced(function* (call) {
      return ok(listed(call.page, yield* webhooks.deliveries(refOf(call), call.page), encodeDelivery))
    })
  })
})
