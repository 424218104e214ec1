/**
 * The operator's handlers of stores.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import type { Store } from "../../../core/model/Store.ts"
import { Stores } from "../../../core/commerce/stores/Stores.ts"
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

const encodeStore = (store: Store) => ({
  id: store.id,
  platform: store.platform,
  name: store.name,
  domain: store.domain,
  consentMode: store.consentMode,
  currency: store.currency,
  display: store.tokenDisplay,
  status: store.disconnectedAt === null ? ("Connected" as const) : ("Disconnected" as const),
  connectedAt: formatDateTime(store.connectedAt),
  disconnectedAt: dateTimeOrNull(store.disconnectedAt)
})

/** Connected stores. */
export const managedStoresRoutes = Effect.gen(function* () {
  const stores = yield* Stores
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.managedStores, {
    connect: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const { store, token, webhookSecret } = yield* stores.connect(id, payload, managementActor)
      return created({ ...encodeStore(store), token, webhookSecret })
    }),
    list: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      return ok(mapPage(yield* stores.list(id, yield* asEffect(pageOfQuery(query))), encodeStore))
    }),
    disconnect: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      yield* stores.disconnect(id, (params["id"] ?? "").toLowerCase(), managementActor)
      return ok(null)
    })
  })
})
