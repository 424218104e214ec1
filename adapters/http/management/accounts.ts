/**
 * Handles the management endpoints of accounts, settings and API keys.
 *
 * @module
 */
import { Effect } from "effect"
import { archiveUrl } from "../../../core/campaigns/PublicArchive.ts"
import { PublicEndpoint } from "../../../core/kernel/PublicEndpoint.ts"
import type { Account, Settings } from "../../../core/model/Account.ts"
import { Accounts } from "../../../core/accounts/Accounts.ts"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import { ApiKeys } from "../../../core/accounts/ApiKeys.ts"
import { ManagementApi } from "../schema/ManagementApi.ts"
import { dateTimeOrNull } from "../edge/Encode.ts"
import { managerOf, permit, targetOf } from "../edge/permit.ts"
import { encodeEdited, tagged } from "../edge/precondition.ts"
import { created, ok } from "../edge/reply.ts"
import { bind } from "../edge/Route.ts"

const encodeKey = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  display: key.display,
  permissions: key.permissions,
  expiresAt: dateTimeOrNull(key.expiresAt),
  lastUsedAt: dateTimeOrNull(key.lastUsedAt),
  revokedAt: dateTimeOrNull(key.revokedAt)
})

/** Settings that protect the installation from the account. Changing them also requires `companies:write`. */
const protectedSettings = [
  "contactLimit",
  "dailySendLimit",
  "rateLimitPerMinute",
  "reviewFirst",
  "standingHolds",
  "pools"
] as const satisfies ReadonlyArray<keyof Settings>

/** Accounts and their settings. */
export const accountsRoutes = Effect.gen(function* () {
  const accounts = yield* Accounts
  const endpoint = yield* PublicEndpoint
  const encodeSettings = ({ id, settings }: Account) => ({
    ...settings,
    archive: { ...settings.archive, url: archiveUrl(endpoint.baseUrl(), id) }
  })
  return bind(ManagementApi.groups.accounts, {
    get: ({ account }) => {
      const { companyId, id, mode, name } = account
      const settings = encodeSettings(account)
      const shown = { id, companyId, mode, name, settings, ...encodeEdited(account) }
      return Effect.succeed(tagged(ok(shown), account))
    },
    changeSettings: Effect.fnUntraced(function* ({ account, actor, caller, payload }) {
      if (protectedSettings.some((name) => name in payload)) {
        yield* permit(yield* managerOf(caller), "companies:write", targetOf(account))
      }
      const { archive, defaultSender, delivery, ...others } = payload
      const plain =
        archive === undefined
          ? others
          : {
              ...others,
              archive: {
                enabled: archive.enabled,
                title: archive.title ?? null,
                description: archive.description ?? null
              }
            }
      const rest =
        delivery === undefined
          ? plain
          : {
              ...plain,
              delivery:
                delivery === null
                  ? null
                  : { transactional: delivery.transactional ?? null, marketing: delivery.marketing ?? null }
            }
      const sender =
        defaultSender == null
          ? defaultSender
          : { email: defaultSender.email, name: defaultSender.name ?? null }
      const patch = sender === undefined ? rest : { ...rest, defaultSender: sender }
      const changed = yield* accounts.changeSettings(account.id, patch, actor)
      return tagged(ok(encodeSettings(changed)), changed)
    })
  })
})

/** API keys. */
export const apiKeysRoutes = Effect.gen(function* () {
  const keys = yield* ApiKeys
  return bind(ManagementApi.groups.apiKeys, {
    create: Effect.fnUntraced(function* ({ account, actor, payload }) {
      const { apiKey, key } = yield* keys.create(account.id, payload, actor)
      const { expiresAt, name, permissions } = encodeKey(apiKey)
      return created({ id: apiKey.id, name, key, permissions, expiresAt })
    }),
    list: ({ account }) => Effect.map(keys.list(account.id), (list) => ok(list.map(encodeKey))),
    revoke: Effect.fnUntraced(function* ({ account, actor, params }) {
      yield* keys.revoke(account.id, params.id, actor)
      return ok(null)
    })
  })
})
