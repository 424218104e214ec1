/**
 * Handles the management endpoints of the request log and of an account's usage.
 *
 * @module
 */
import { Effect } from "effect"
import { Requests } from "../../../core/accounts/Requests.ts"
import { Usage } from "../../../core/accounts/Usage.ts"
import type { RequestEntry } from "../../../core/model/RequestEntry.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { listed } from "../edge/lists.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

/** A call of the request log. */
export const encodeRequest = ({ accountId: _accountId, at, ...entry }: RequestEntry) => ({
  ...entry,
  at: formatDateTime(at)
})

/** The request log and usage. */
export const requestsRoutes = Effect.gen(function* () {
  const requests = yield* Requests
  const usage = yield* Usage
  return bind(ManagementApi.groups.requests, {
    list: Effect.fnUntraced(function* ({ account, page, query }) {
      return ok(listed(page, yield* requests.list(account.id, query, page), encodeRequest))
    }),
    usage: ({ account }) => Effect.map(usage.of(account), ok)
  })
})
