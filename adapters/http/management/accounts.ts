/**
 * The operator's handlers of companies, accounts, settings, keys and the audit log.
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
import { mapPage } from "../../../core/shared/Page.ts"
import { formatDateTime } from "../../../core/shared/Validate.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { pageOfQuery } from "../edge/Query.ts"
import { bind, created, ok } from "../edge/Route.ts"
import { asEffect, makeAccountGate } from "./requireAccount.ts"

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
    list: ({ query }) =>
      Effect.map(Effect.flatMap(asEffect(pageOfQuery(query)), accounts.companies), (page) =>
        ok(mapPage(page, encodeCompany))
      )
  })
)

/** Accounts, their settings and audit log. */
export const accountsRoutes = Effect.gen(function* () {
  const accounts = yield* Accounts
  const auditLog = yield* AuditLog
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.accounts, {
    get: ({ params }) =>
      Effect.map(gate(params), ({ companyId, id, mode, name, settings }) =>
        ok({ id, companyId, mode, name, settings })
      ),
    changeSettings: ({ params, payload }) => {
      const { defaultSender, ...rest } = payload
      const sender =
        defaultSender == null
          ? defaultSender
          : { email: defaultSender.email, name: defaultSender.name ?? null }
      return Effect.flatMap(gate(params), (account) =>
        Effect.map(
          accounts.changeSettings(
            account.id,
            sender === undefined ? rest : { ...rest, defaultSender: sender },
            managementActor
          ),
          ok
        )
      )
    },
    auditLog: Effect.fnUntraced(function* ({ params, query }) {
      const { id } = yield* gate(params)
      const page = yield* auditLog.list(id, yield* asEffect(pageOfQuery(query)))
      return ok(
        mapPage(page, ({ action, actor, after, at, before, target }) => ({
          at: formatDateTime(at),
          actor,
          action,
          target,
          before,
          after
        }))
      )
    })
  })
})

/** API keys. */
export const apiKeysRoutes = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const gate = yield* makeAccountGate
  return bind(ManagementApi.groups.apiKeys, {
    create: Effect.fnUntraced(function* ({ params, payload }) {
      const { id } = yield* gate(params)
      const { apiKey, key } = yield* keys.create(id, payload, managementActor)
      const { expiresAt, name, permissions } = encodeKey(apiKey)
      return created({ id: apiKey.id, name, key, permissions, expiresAt })
    }),
    list: ({ params }) =>
      Effect.flatMap(gate(params), ({ id }) => Effect.map(keys.list(id), (list) => ok(list.map(encodeKey)))),
    revoke: Effect.fnUntraced(function* ({ params }) {
      const { id } = yield* gate(params)
      yield* keys.revoke(id, params["id"] ?? "", managementActor)
      return ok(null)
    })
  })
})
