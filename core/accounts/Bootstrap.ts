/**
 * Sets up an empty database at the first start (docs/contributing/decisions.md 1): the company "Default" with its two accounts, a
 * management token and, in the sandbox account, a verified domain, a default sender and an API key with all permissions.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { type Installation, InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { Transaction, WriteConflict } from "../ports/Transaction.ts"
import { newDomain } from "../model/Domain.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { newCompany } from "./Accounts.ts"
import { maxActiveKeys } from "../model/ApiKey.ts"
import { newApiKey } from "./ApiKeys.ts"
import { firstSecrets } from "./InstallationSecrets.ts"
import { formatKey, keyBytes, prefixes } from "./KeyFormat.ts"
import { permissions } from "../model/Permission.ts"
import { sealSecretCheck } from "./SecretCheck.ts"

/** The default sender of the first sandbox account. */
export const sandboxSender = { email: "hello@example.com", name: "Sandbox" }

const sandboxDomain = "example.com"
const pollMillis = 100
const firstKeyName = "First sandbox key"

/** The secrets that the first start shows, once. */
export interface FirstSecrets {
  readonly sandboxAccountId: string
  readonly sandboxKey: string
  readonly managementToken: string
}

/** Sets up an empty database, once. */
export class Bootstrap extends Context.Service<
  Bootstrap,
  {
    /**
     * Sets up an empty database and returns the secrets to show; null if they have been shown already. Secrets that were never
     * shown, because the process was killed before, are replaced.
     *
     * @param waitTimeout how long to wait for another process that starts on the same database to show its secrets, milliseconds;
     *   after that they count as lost
     */
    readonly prepare: (waitTimeout: number) => Effect.Effect<FirstSecrets | null, Unavailable>
    /**
     * Whether the secrets are still current. Call it right before showing them: if a process exceeds the wait timeout, another
     * process replaces its secrets.
     */
    readonly isCurrent: (secrets: FirstSecrets) => Effect.Effect<boolean, Unavailable>
    /** Records that the secrets were shown, if they are still current. Call it after showing them. */
    readonly markShown: (secrets: FirstSecrets) => Effect.Effect<void, Unavailable>
  }
>()("svc/accounts/Bootstrap") {
  static readonly layer = Layer.effect(
    Bootstrap,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const domains = yield* DomainStore
      const store = yield* InstallationStore
      const transaction = yield* Transaction
      const crypto = yield* Crypto
      const context = yield* Effect.context<Crypto | Ids | InstallationStore | SecretBox>()

      const setUp = Effect.gen(function* () {
        const ids = yield* Ids
        const now = yield* Clock.currentTimeMillis
        const { accounts: created, company } = yield* newCompany("Default")
        const [live, sandbox] = created
        const settings = { ...sandbox.settings, defaultSender: sandboxSender }
        yield* accounts.insert([company], [live, { ...sandbox, settings }])
        const id = yield* ids.next
        yield* domains.insert(
          newDomain({ id, accountId: sandbox.id, domain: sandboxDomain, createdAt: now }, true)
        )
        return sandbox.id
      })

      const createSecrets = (sandboxAccountId: string) =>
        Effect.gen(function* () {
          const { apiKey, key } = yield* newApiKey("Sandbox", sandboxAccountId, {
            name: firstKeyName,
            permissions,
            expiresInDays: null
          })
          yield* keys.insert([apiKey], maxActiveKeys, apiKey.createdAt)
          const managementToken = formatKey(prefixes.admin, crypto.randomBytes(keyBytes))
          const installation: Installation = {
            sandboxAccountId,
            managementTokenHash: crypto.sha256Hex(managementToken),
            announced: false
          }
          return { installation, secrets: { sandboxAccountId, sandboxKey: key, managementToken } }
        })

      const replaceSecrets = (installation: Installation) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const issued = yield* keys.list(installation.sandboxAccountId)
          for (const key of issued.filter((one) => one.name === firstKeyName && one.revokedAt === null)) {
            yield* keys.revoke(installation.sandboxAccountId, key.id, now)
          }
          return yield* createSecrets(installation.sandboxAccountId)
        })

      /** Sets up an empty database, or replaces the secrets of `abandoned`, a first start that was never completed. */
      const prepare = Effect.fnUntraced(function* (abandoned: Installation | null) {
        const installation = yield* store.get
        if (installation?.announced === true) return null
        // Another process replaced the secrets after the wait. It gets the same time to show them, so wait again.
        if (installation !== null && !hasSameToken(installation, abandoned)) {
          return yield* new WriteConflict({ constraint: "instance" })
        }
        if (installation === null) {
          const created = yield* createSecrets(yield* setUp)
          yield* store.insert(created.installation)
          yield* store.saveSecrets(yield* firstSecrets)
          // Together with the first secrets, so that no other process can choose another key in between.
          yield* store.secretCheck(yield* sealSecretCheck)
          return created.secrets
        }
        const replaced = yield* replaceSecrets(installation)
        yield* store.save(replaced.installation, installation.managementTokenHash)
        return replaced.secrets
      })

      const hasSameToken = (one: Installation, other: Installation | null) =>
        other !== null && crypto.constantTimeEquals(one.managementTokenHash, other.managementTokenHash)

      /** Waits until another process completes the first start; returns the record as of then, or as of the timeout. */
      const awaitOther = (waitTimeout: number): Effect.Effect<Installation | null, Unavailable> =>
        Effect.flatMap(store.get, (installation) =>
          waitTimeout <= 0 || installation === null || installation.announced
            ? Effect.succeed(installation)
            : Effect.andThen(Effect.sleep(pollMillis), awaitOther(waitTimeout - pollMillis))
        )

      /** The record, if it contains these secrets; otherwise null. */
      const findBySecrets = ({ managementToken }: FirstSecrets) =>
        Effect.map(store.get, (installation) =>
          installation !== null &&
          crypto.constantTimeEquals(crypto.sha256Hex(managementToken), installation.managementTokenHash)
            ? installation
            : null
        )

      return Bootstrap.of({
        prepare: (waitTimeout) => {
          const prepareOnce = (abandoned: Installation | null) =>
            transaction.run(Effect.provideContext(prepare(abandoned), context))
          // Not `atomically`, because after a conflict it must wait again, outside a transaction.
          return retryConflicts(Effect.flatMap(awaitOther(waitTimeout), prepareOnce))
        },
        isCurrent: (secrets) => Effect.map(findBySecrets(secrets), (installation) => installation !== null),
        markShown: Effect.fnUntraced(function* (secrets) {
          const installation = yield* findBySecrets(secrets)
          if (installation === null) return
          const shown = { ...installation, announced: true }
          const saved = store.save(shown, installation.managementTokenHash)
          yield* Effect.catchTag(saved, "WriteConflict", () => Effect.void)
        })
      })
    })
  )
}
