/**
 * Handles the management endpoints of connected stores.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { BulkJobs } from "../../../core/bulk/BulkJobs.ts"
import { StoreEvents } from "../../../core/commerce/sync/StoreEvents.ts"
import type { ReceivedEvent } from "../../../core/model/ReceivedEvent.ts"
import { statusOfStore, type Store } from "../../../core/model/Store.ts"
import { Items } from "../../../core/catalog/Items.ts"
import { ItemUses } from "../../../core/catalog/ItemUses.ts"
import { refuseItemBatchSize } from "../../../core/catalog/ItemWrite.ts"
import { catalogue, Problem } from "../../../core/shared/Problem.ts"
import { encodeItem, encodeItemBatch } from "../public/items.ts"
import { Orders } from "../../../core/commerce/orders/Orders.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { encodeOrder } from "../public/orders.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { elementsOf } from "../edge/Batch.ts"
import { dateTimeOrNull, decimal } from "../edge/Encode.ts"
import { encodeJob } from "../audience/jobs.ts"
import { accepted, created, ok } from "../edge/reply.ts"
import { listed, only } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeReceived = ({ code, eventId, field, isKept, name, receivedAt, status }: ReceivedEvent) => ({
  id: eventId,
  name,
  status,
  receivedAt: formatDateTime(receivedAt),
  failure: code === null ? null : { code, field, message: catalogue[code].message },
  isReplayable: isKept
})

const encodeStore = (store: Store) => ({
  id: store.id,
  platform: store.platform,
  name: store.name,
  domain: store.domain,
  consentMode: store.consentMode,
  currency: store.currency,
  display: store.tokenDisplay,
  status: statusOfStore(store),
  connectedAt: formatDateTime(store.connectedAt),
  disconnectedAt: dateTimeOrNull(store.disconnectedAt)
})

/** Connected stores. */
export const managedStoresRoutes = Effect.gen(function* () {
  const stores = yield* Stores
  const orders = yield* Orders
  const items = yield* Items
  const itemUses = yield* ItemUses
  const events = yield* StoreEvents
  const jobs = yield* BulkJobs
  return bind(ManagementApi.groups.managedStores, {
    connect: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const { store, token, webhookSecret } = yield* stores.connect(account.id, payload, actor)
      return created({ ...encodeStore(store), token, webhookSecret })
    }),
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      const found = yield* stores.list(account.id, page, query)
      const known = new Map(
        (yield* events.activity(
          account.id,
          found.items.map(({ id }) => id)
        )).map((one) => [one.storeId, one])
      )
      return ok(
        listed(page, found, (store) => ({
          ...encodeStore(store),
          lastEventAt: dateTimeOrNull(known.get(store.id)?.lastEventAt ?? null),
          failedEvents: known.get(store.id)?.failedEvents ?? 0
        }))
      )
    }),
    events: Effect.fnUntraced(function* ({ account, page, params, query }) {
      return ok(listed(page, yield* events.list(account.id, params.id, query, page), encodeReceived))
    }),
    replay: Effect.fnUntraced(function* ({ account, actor, params, payload }) {
      const job = yield* jobs.replay(account.id, params.id, payload.ids ?? null, actor)
      return accepted(encodeJob(yield* Clock.currentTimeMillis)(job))
    }),
    disconnect: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* stores.disconnect(account.id, params.id, actor)
      return ok(null)
    }),
    orders: Effect.fnUntraced(function* ({ account, page, query }) {
      if (query.q !== null && (page.sort?.by !== "time" || page.sort.ascending)) {
        return yield* Problem.of("validation.format", "sort", null, { expected: "-time where q is given" })
      }
      return ok(listed(page, yield* orders.browse(account.id, query, page), encodeOrder))
    }),
    items: Effect.fnUntraced(function* ({ account, page, query }) {
      const { status, ...filter } = query
      const wanted = only(status)
      const active = wanted === null ? null : wanted === "Active"
      return ok(listed(page, yield* items.list(account.id, { ...filter, active }, page), encodeItem))
    }),
    importItems: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const problem = refuseItemBatchSize(payload.items.length)
      if (problem !== undefined) return yield* problem
      return ok(encodeItemBatch(yield* items.importMany(account.id, elementsOf(payload.items), actor)))
    }),
    itemUsage: Effect.fnUntraced(function* ({ account, params }) {
      return ok(yield* itemUses.usage(account.id, params.id))
    }),
    order: Effect.fnUntraced(function* ({ account, params }) {
      const order = yield* orders.get(account.id, params.id)
      const { contactId, externalId, lines, reached } = order
      return ok({
        ...encodeOrder(order),
        externalId,
        contactId,
        lines: lines.map(({ price, ...line }) => ({
          ...line,
          price: price === null ? null : decimal(price)
        })),
        reached
      })
    })
  })
})
