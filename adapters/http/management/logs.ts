/**
 * Handles the management endpoints about the service's logs.
 *
 * @module
 */
import { Effect } from "effect"
import { LogHash } from "../../../core/accounts/LogHash.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

/** The hashes that logs hold instead of addresses. */
export const logsRoutes = Effect.map(LogHash, (logHash) =>
  bind(ManagementApi.groups.logs, {
    hash: ({ payload }) => Effect.map(logHash.of(payload.text), (hash) => ok({ hash }))
  })
)
