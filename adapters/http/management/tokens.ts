/**
 * Handles the management endpoints of the tokens of the installation and of companies, and of the installation's secrets.
 *
 * @module
 */
import { Effect } from "effect"
import { installationOwner, type Token, type TokenOwner } from "../../../core/model/Token.ts"
import { SecretRotation } from "../../../core/secrets/SecretRotation.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { type IssuedToken, Tokens } from "../../../core/users/Tokens.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { managerOf } from "../edge/permit.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"

const encodeToken = (token: Token) => ({
  id: token.id,
  name: token.name,
  display: token.display,
  rights: token.rights ?? [],
  accounts: token.accounts,
  expiresAt: dateTimeOrNull(token.expiresAt),
  createdAt: formatDateTime(token.createdAt),
  lastUsedAt: dateTimeOrNull(token.lastUsedAt),
  lastUsedNetwork: token.lastUsedNetwork,
  revokedAt: dateTimeOrNull(token.revokedAt)
})

const encodeIssued = ({ secret, token }: IssuedToken) => {
  const { accounts, display, expiresAt, id, name, rights } = encodeToken(token)
  return { id, name, token: secret, display, rights, accounts, expiresAt }
}

/** Installation tokens. */
export const tokensRoutes = Effect.map(Tokens, (tokens) =>
  bind(ManagementApi.groups.tokens, {
    create: Effect.fnUntraced(function* ({ actor, caller, payload }) {
      const creator = { actor, caller: yield* managerOf(caller) }
      return created(encodeIssued(yield* tokens.create(installationOwner, payload, creator)))
    }),
    list: ({ page }) =>
      Effect.map(tokens.list(installationOwner, page), (found) => ok(listed(page, found, encodeToken))),
    revoke: ({ actor, params }) => Effect.as(tokens.revoke(installationOwner, params.id, actor), ok(null))
  })
)

const ownerOf = ({ id }: { readonly id: string }): TokenOwner => ({ companyId: id, userId: null })

/** A company's tokens. */
export const companyTokensRoutes = Effect.map(Tokens, (tokens) =>
  bind(ManagementApi.groups.companyTokens, {
    create: Effect.fnUntraced(function* ({ actor, caller, company, payload }) {
      const creator = { actor, caller: yield* managerOf(caller) }
      return created(encodeIssued(yield* tokens.create(ownerOf(company), payload, creator)))
    }),
    list: ({ company, page }) =>
      Effect.map(tokens.list(ownerOf(company), page), (found) => ok(listed(page, found, encodeToken))),
    revoke: ({ actor, company, params }) =>
      Effect.as(tokens.revoke(ownerOf(company), params.id, actor), ok(null))
  })
)

/** The installation's secrets. */
export const secretsRoutes = Effect.map(SecretRotation, ({ rotate }) =>
  bind(ManagementApi.groups.secrets, {
    rotate: ({ actor }) =>
      Effect.map(rotate(actor), ({ acceptedUntil, resealed, unreadable }) =>
        ok({ linksAcceptedUntil: formatDateTime(acceptedUntil), resealed, unreadable })
      )
  })
)
