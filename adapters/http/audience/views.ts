/**
 * Handles the management endpoints of saved views.
 *
 * @module
 */
import { Effect } from "effect"
import type { Account } from "../../../core/model/Account.ts"
import type { SavedView } from "../../../core/model/SavedView.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { rightsAt } from "../../../core/users/Caller.ts"
import { SavedViews } from "../../../core/users/SavedViews.ts"
import type { Caller } from "../edge/guard.ts"
import { listed } from "../edge/lists.ts"
import { managerOf, targetOf } from "../edge/permit.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeView = ({ columns, createdAt, createdBy, id, list, name, query, shared }: SavedView) => ({
  id,
  name,
  list,
  query,
  columns,
  shared,
  createdBy: { kind: createdBy.kind, id: createdBy.id, name: createdBy.name },
  createdAt: formatDateTime(createdAt)
})

/** The caller, with the caller's rights in the account. */
const viewerOf = Effect.fnUntraced(function* (account: Account, caller: Caller) {
  const manager = yield* managerOf(caller)
  return { accountId: account.id, caller: manager, rights: rightsAt(manager, targetOf(account)) }
})

/** The routes of saved views. */
export const viewsRoutes = Effect.map(SavedViews, (views) =>
  bind(ManagementApi.groups.views, {
    list: Effect.fnUntraced(function* ({ account, caller, page, query }) {
      const viewer = yield* viewerOf(account, caller)
      return ok(listed(page, yield* views.list(viewer, query.list, page), encodeView))
    }),
    create: Effect.fnUntraced(function* ({ account, caller, payload }) {
      return created(encodeView(yield* views.create(yield* viewerOf(account, caller), payload)))
    }),
    change: Effect.fnUntraced(function* ({ account, caller, params, payload }) {
      return ok(encodeView(yield* views.change(yield* viewerOf(account, caller), params.id, payload)))
    }),
    remove: Effect.fnUntraced(function* ({ account, caller, params }) {
      yield* views.remove(yield* viewerOf(account, caller), params.id)
      return ok(null)
    })
  })
)
