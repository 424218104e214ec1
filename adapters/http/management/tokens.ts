/**
 * Handles the management endpoints of installation tokens, and of the installation's secrets.
 *
 * @module
 */
import { Effect } from "effect"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { InstallationTokens } from "../../../core/accounts/InstallationTokens.ts"
import type { InstallationToken } from "../../../core/model/InstallationToken.ts"
import { SecretRotation } from "../../../core/secrets/SecretRotation.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeToken = (token: InstallationToken) => ({
  id: token.id,
  name: token.name,
  display: token.display,
  rights: token.rights,
  accounts: null,
  expiresAt: dateTimeOrNull(token.expiresAt),
  createdAt: formatDateTime(token.createdAt),
  lastUsedAt: dateTimeOrNull(token.lastUsedAt),
  lastUsedNetwork: token.lastUsedNetwork,
  revokedAt: dateTimeOrNull(token.revokedAt)
})

/** Installation tokens. */
export const tokensRoutes = Effect.map(InstallationTokens, (tokens) =>
  bind(ManagementApi.groups.tokens, {
    create: ({ payload }) =>
      Effect.map(tokens.create(payload, managementActor), ({ secret, token }) => {
        const { accounts, display, expiresAt, id, name, rights } = encodeToken(token)
        return created({ id, name, token: secret, display, rights, accounts, expiresAt })
      }),
    list: ({ page }) => Effect.map(tokens.list(page), (found) => ok(listed(page, found, encodeToken))),
    revoke: ({ params }) => Effect.as(tokens.revoke(params.id, managementActor), ok(null))
  })
)

/** The installation's secrets. */
export const secretsRoutes = Effect.map(SecretRotation, ({ rotate }) =>
  bind(ManagementApi.groups.secrets, {
    rotate: () =>
      Effect.map(rotate(managementActor), ({ acceptedUntil, resealed, unreadable }) =>
        ok({ linksAcceptedUntil: formatDateTime(acceptedUntil), resealed, unreadable })
      )
  })
)
