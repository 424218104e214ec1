/**
 * Handles the management endpoints of companies, accounts, settings, API keys and the audit log.
 *
 * @module
 */
import { Effect } from "effect"
import type { Company } from "../../../core/model/Account.ts"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import { ApiKeys } from "../../../core/accounts/ApiKeys.ts"
import { managementActor } from "../../../core/accounts/AuditTrail.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { created, ok } from "../edge/reply.ts"
import { listed } from "../edge/lists.ts"
import { bind } from "../edge/Route.ts"

const encodeCompany = (company: Company) => ({
  id: company.id,
  name: company.name,
  live: { accountId: company.liveAccountId },
  sandbox: { accountId: company.sandboxAccountId }
})

const encodeKey = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  display: key.display,
  permissions: key.permissions,
  expiresAt: dateTimeOrNull(key.expiresAt),
  lastUsedAt: dateTimeOrNull(key.lastUsedAt),
  revokedAt: dateTimeOrNull(key.revokedAt)
})

/** Companies. */
export const companiesRoutes = Effect.map(Accounts, (accounts) =>
  bind(ManagementApi.groups.companies, {
    create: ({ payload }) =>
      Effect.map(accounts.createCompany(payload.name, managementActor), (company) =>
        created(encodeCompany(company))
      ),
    list: ({ page }) =>
      Effect.map(accounts.companies(page), (companies) => ok(listed(page, companies, encodeCompany)))
  })
)

/** Accounts, their settings and audit log. */
export const accountsRoutes = Effect.gen(function* () {
  const accounts = yield* Accounts
  const auditLog = yield* AuditLog
  return bind(ManagementApi.groups.accounts, {
    get: ({ account: { companyId, id, mode, name, settings } }) =>
      Effect.succeed(ok({ id, companyId, mode, name, settings })),
    changeSettings: ({ account, payload }) => {
      const { defaultSender, ...rest } = payload
      const sender =
        defaultSender == null
          ? defaultSender
          : { email: defaultSender.email, name: defaultSender.name ?? null }
      const patch = sender === undefined ? rest : { ...rest, defaultSender: sender }
      return Effect.map(accounts.changeSettings(account.id, patch, managementActor), ok)
    },
    auditLog: Effect.fnUntraced(function* ({ account, page }) {
      return ok(
        listed(
          page,
          yield* auditLog.list(account.id, page),
          ({ action, actor, after, at, before, target }) => ({
            at: formatDateTime(at),
            actor,
            action,
            target,
            before,
            after
          })
        )
      )
    })
  })
})

/** API keys. */
export const apiKeysRoutes = Effect.gen(function* () {
  const keys = yield* ApiKeys
  return bind(ManagementApi.groups.apiKeys, {
    create: Effect.fnUntraced(function* ({ account, payload }) {
      const { apiKey, key } = yield* keys.create(account.id, payload, managementActor)
      const { expiresAt, name, permissions } = encodeKey(apiKey)
      return created({ id: apiKey.id, name, key, permissions, expiresAt })
    }),
    list: ({ account }) => Effect.map(keys.list(account.id), (list) => ok(list.map(encodeKey))),
    revoke: Effect.fnUntraced(function* ({ account, params }) {
      yield* keys.revoke(account.id, params.id, managementActor)
      return ok(null)
    })
  })
})
