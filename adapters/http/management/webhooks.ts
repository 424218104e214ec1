/**
 * The operator's handlers of webhooks.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import type { DeliveryLogEntry, Webhook } from "../../../core/model/Webhook.ts"
import { Webhooks } from "../../../core/webhooks/Webhooks.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { accepted, bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate, type Params } from "./requireAccount.ts"

const encodeWebhook = ({ description, events, failuresInARow, id, status, stoppedReason, url }: Webhook) => ({
  id,
  url,
  events,
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

/** Webhooks. */
export const webhooksRoutes = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const gate = yield* makeAccountGate
  const refOf = (params: Params) =>
    Effect.map(gate(params), ({ id }) => ({ accountId: id, webhookId: params["id"]!.toLowerCase() }))
  return bind(ManagementApi.groups.webhooks, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const { secret, webhook } = yield* webhooks.create(id, payload, managementActor)
      return created({ ...encodeWebhook(webhook), secret })
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* webhooks.list(id, yield* asEffect(pageOfQuery(query))), encodeWebhook))
    }),
    remove: Effect.fnUntraced(function* ({ params }) {
      yield* webhooks.remove(yield* refOf(params), managementActor)
      return ok(null)
    }),
    test: Effect.fnUntraced(function* ({ params }) {
      return accepted({ notificationId: yield* webhooks.test(yield* refOf(params), managementActor) })
    }),
    rotateSecret: Effect.fnUntraced(function* ({ params }) {
      return ok({ secret: yield* webhooks.rotateSecret(yield* refOf(params), managementActor) })
    }),
    deliveries: Effect.fnUntraced(function* ({ params, query }) {
      const ref = yield* refOf(params)
      const page = yield* webhooks.deliveries(ref, yield* asEffect(pageOfQuery(query)))
      return ok(mapPage(page, encodeDelivery))
    })
  })
})
