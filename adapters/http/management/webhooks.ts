/**
 * Handles the management endpoints of webhooks.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { BulkJobs } from "../../../core/bulk/BulkJobs.ts"
import type { Account } from "../../../core/model/Account.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type {
  DeliveryLogEntry,
  NotificationDetail,
  NotificationSummary,
  Webhook
} from "../../../core/model/Webhook.ts"
import { Webhooks } from "../../../core/webhooks/Webhooks.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { accepted, created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { managerOf, permitPersonal, targetOf } from "../edge/permit.ts"
import { bind } from "../edge/Route.ts"
import { encodeJob } from "../audience/jobs.ts"

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

const encodeDetail = ({ body, log, ...summary }: NotificationDetail, url: string | null) => ({
  ...encodeNotification(summary),
  url,
  body,
  log: log.map(({ answer, at, attempt, durationMs, error, httpStatus }) => ({
    attempt,
    at: formatDateTime(at),
    httpStatus,
    error,
    durationMs,
    response: answer
  }))
})

/** The webhook named in a path. */
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
  const jobs = yield* BulkJobs
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
    notification: Effect.fnUntraced(function* ({ account, caller, params }) {
      const { notification, url } = yield* webhooks.notification(account.id, params.id)
      yield* permitPersonal(yield* managerOf(caller), targetOf(account))
      return ok(encodeDetail(notification, url))
    }),
    resend: Effect.fnUntraced(function* (call) {
      const { notificationIds = null, since = null, until = null } = call.payload
      const job = yield* jobs.resend(refOf(call), { notificationIds, since, until }, call.actor)
      return accepted(encodeJob(yield* Clock.currentTimeMillis)(job))
    }),
    deliveries: Effect.fnUntraced(function* (call) {
      return ok(listed(call.page, yield* webhooks.deliveries(refOf(call), call.page), encodeDelivery))
    })
  })
})
