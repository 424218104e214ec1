/**
 * Resets the secrets of an installation whose secret key is lost. What that key sealed cannot be opened, so all of it is
 * replaced and sealed with a new secret key.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { firstSecrets, sealPlainSecret } from "../accounts/InstallationSecrets.ts"
import { sealSecretCheck } from "../accounts/SecretCheck.ts"
import { checkJob } from "../jobs/definitions/DomainJobs.ts"
import { Atomically } from "../kernel/atomically.ts"
import { Ids } from "../kernel/Ids.ts"
import { PublicEndpoint } from "../kernel/PublicEndpoint.ts"
import type { SendingDomain } from "../model/Domain.ts"
import { type Store, storePurpose } from "../model/Store.ts"
import type { Webhook } from "../model/Webhook.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { Crypto } from "../ports/Crypto.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { JobQueue } from "../ports/JobQueue.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { makeDkimKeys } from "../sending/domains/DkimKeys.ts"
import { refreshRecords } from "../sending/domains/DomainRules.ts"
import { formatSecret, secretBytes } from "../webhooks/Signature.ts"
import { SigningKeys } from "../webhooks/SigningKeys.ts"
import { readAll } from "../shared/Page.ts"
import { accountIds } from "./AllAccounts.ts"

/** The numbers of replaced secrets. */
export interface Reset {
  /** Domains with new keys. They are Pending until their new records are published. */
  readonly domains: number
  /** Webhooks with new secrets. Their receivers do not have these secrets until each is rotated. */
  readonly webhooks: number
  /** Stores with new webhook secrets. Each must be connected again, so that both sides have the same secret. */
  readonly stores: number
}

/** Gives a domain new keys. It is Pending until their records are published and found. */
const resetDomain = Effect.fnUntraced(function* (domain: SendingDomain) {
  const atomically = yield* Atomically
  const receiver = yield* PublicEndpoint
  const ids = yield* Ids
  const jobs = yield* JobQueue
  const store = yield* DomainStore
  const keys = yield* makeDkimKeys(domain, "Active")
  const { accountId, id } = domain
  yield* atomically(
    Effect.gen(function* () {
      yield* store.lock([domain])
      const reset = {
        ...domain,
        keys,
        records: [],
        status: "Pending" as const,
        failedChecks: 0,
        verifiedAt: null
      }
      yield* store.save([refreshRecords(reset, receiver)])
      yield* checkJob.cancel(jobs, accountId, [{ domainId: id }])
      const runAt = yield* Clock.currentTimeMillis
      const payload = { kind: "check" as const, domainId: id }
      yield* jobs.enqueue([checkJob.job({ id: yield* ids.next, accountId, payload, runAt })])
    })
  )
})

/** Removes the keys of a sandbox's domain. The domain stays verified, and gets new keys when they are needed. */
const resetSandboxDomain = Effect.fnUntraced(function* (domain: SendingDomain) {
  const atomically = yield* Atomically
  const store = yield* DomainStore
  yield* atomically(store.save([{ ...domain, keys: [], records: [] }]))
})

const resetWebhook = Effect.fnUntraced(function* ({ accountId, id }: Webhook) {
  const atomically = yield* Atomically
  const signingKeys = yield* SigningKeys
  const store = yield* WebhookStore
  const ref = { accountId, webhookId: id }
  const { sealed } = yield* signingKeys.make(ref)
  yield* atomically(
    Effect.gen(function* () {
      const [webhook] = yield* store.lock([ref])
      if (webhook !== undefined) yield* store.save([{ ...webhook, secrets: [{ sealed, until: null }] }])
    })
  )
})

const resetStore = Effect.fnUntraced(function* (store: Store) {
  const atomically = yield* Atomically
  const box = yield* SecretBox
  const crypto = yield* Crypto
  const stores = yield* ConnectedStores
  const secret = formatSecret(crypto.randomBytes(secretBytes))
  const webhookSecret = yield* box.seal(secret, storePurpose(store.id))
  yield* atomically(stores.save({ ...store, webhookSecret }))
})

/**
 * Replaces all sealed secrets with new ones, sealed with this process's secret key, and returns how many. Must not be called
 * while a server runs on the database. Secrets that an earlier version stored unsealed are kept.
 */
export const resetSecrets = Effect.gen(function* () {
  const atomically = yield* Atomically
  const installation = yield* InstallationStore
  const accounts = yield* AccountStore
  const domains = yield* DomainStore
  const stores = yield* ConnectedStores
  const webhooks = yield* WebhookStore
  const count = { domains: 0, webhooks: 0, stores: 0 }
  for (const accountId of yield* accountIds) {
    const [account] = yield* accounts.find([accountId])
    const keyed = (yield* readAll((page) => domains.list(accountId, page))).filter(
      ({ keys }) => keys.length > 0
    )
    const isSandbox = account?.mode === "Sandbox"
    yield* Effect.forEach(keyed, isSandbox ? resetSandboxDomain : resetDomain)
    const hooks = yield* readAll((page) => webhooks.list(accountId, page))
    yield* Effect.forEach(hooks, resetWebhook)
    const shops = yield* readAll((page) => stores.list(accountId, page))
    yield* Effect.forEach(shops, resetStore)
    count.domains += isSandbox ? 0 : keyed.length
    count.webhooks += hooks.length
    count.stores += shops.length
  }
  // Last, so that an interrupted reset can be repeated: until then, the check still rejects the new key.
  yield* atomically(
    Effect.gen(function* () {
      yield* installation.lock
      const lost = yield* installation.secrets
      yield* installation.removeSecrets(lost.map(({ id }) => id))
      yield* sealPlainSecret
      if ((yield* installation.secrets).length === 0) yield* installation.saveSecrets(yield* firstSecrets)
      yield* installation.replaceSecretCheck(yield* sealSecretCheck)
    })
  )
  return count satisfies Reset
})
