/**
 * What an empty store starts with (decisions 1): the company "Default", its two accounts, in the sandbox a verified
 * domain, a default sender and one key with all permissions, and a management token.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AccountStore } from "../ports/AccountStore.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { type Installation, InstallationStore } from "../ports/InstallationStore.ts"
import { Transaction, WriteConflict } from "../ports/Transaction.ts"
import { newDomain } from "../model/Domain.ts"
import { toHex } from "../shared/Bytes.ts"
import { retryConflicts } from "../kernel/Conflicts.ts"
import { Ids } from "../kernel/Ids.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { draftCompany } from "./Accounts.ts"
import { maxActiveKeys } from "../model/ApiKey.ts"
import { draftKey } from "./ApiKeys.ts"
import { formatKey, keyBytes, prefixes } from "./KeyFormat.ts"
import { permissions } from "../model/Permission.ts"

/** The sender of the first sandbox. */
export const sandboxSender = { email: "hello@example.com", name: "Sandbox" }

const sandboxDomain = "example.com"
const pollMillis = 100
const linkSecretBytes = 32
const firstKeyName = "First sandbox key"

/** What the first start shows once. */
export interface FirstSecrets {
  readonly sandboxAccountId: string
  readonly sandboxKey: string
  readonly managementToken: string
}

/** Sets an empty store up, once. */
export class Bootstrap extends Context.Service<
  Bootstrap,
  {
    /**
     * Sets an empty store up and answers the secrets to show; null when they were shown before. A start that was
     * killed before it showed them is made good: new secrets take the old ones' place. Where other processes may be
     * starting on the same store, `patience` is how long one of them has to show its secrets before they count as
     * lost, in milliseconds.
     */
    readonly prepare: (patience: number) => Effect.Effect<FirstSecrets | null, Unavailable>
    /**
     * Whether the secrets are still the store's: to be asked right before they are shown, since a process that took
     * longer than the others' patience has had its secrets replaced.
     */
    readonly isCurrent: (secrets: FirstSecrets) => Effect.Effect<boolean, Unavailable>
    /** Notes that the secrets were shown, if they still are the store's; to be called after that and not before. */
    readonly markShown: (secrets: FirstSecrets) => Effect.Effect<void, Unavailable>
  }
>()("svc/accounts/Bootstrap") {
  static readonly layer = Layer.effect(
    Bootstrap,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* ApiKeyStore
      const domains = yield* DomainStore
      const instances = yield* InstallationStore
      const transaction = yield* Transaction
      const crypto = yield* Crypto
      const context = yield* Effect.context<Crypto | Ids>()

      const setUp = Effect.gen(function* () {
        const ids = yield* Ids
        const now = yield* Clock.currentTimeMillis
        const { accounts: drafts, company } = yield* draftCompany("Default")
        const [live, sandbox] = drafts
        const settings = { ...sandbox.settings, defaultSender: sandboxSender }
        yield* accounts.insert([company], [live, { ...sandbox, settings }])
        const id = yield* ids.next
        yield* domains.insert(
          newDomain({ id, accountId: sandbox.id, domain: sandboxDomain, createdAt: now }, true)
        )
        return sandbox.id
      })

      const issue = (sandboxAccountId: string, linkSecret: string) =>
        Effect.gen(function* () {
          const { apiKey, key } = yield* draftKey("Sandbox", sandboxAccountId, {
            name: firstKeyName,
            permissions,
            expiresInDays: null
          })
          yield* keys.insert([apiKey], maxActiveKeys, apiKey.createdAt)
          const managementToken = formatKey(prefixes.admin, crypto.randomBytes(keyBytes))
          const instance: Installation = {
            sandboxAccountId,
            managementTokenHash: crypto.sha256Hex(managementToken),
            linkSecret,
            announced: false
          }
          return { instance, secrets: { sandboxAccountId, sandboxKey: key, managementToken } }
        })

      const reissue = (instance: Installation) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const lost = yield* keys.list(instance.sandboxAccountId)
          for (const key of lost.filter((entry) => entry.name === firstKeyName && entry.revokedAt === null)) {
            yield* keys.revoke(instance.sandboxAccountId, key.id, now)
          }
          return yield* issue(instance.sandboxAccountId, instance.linkSecret)
        })

      /** Sets up what is empty, or makes good a first start that `givenUp` left unfinished. */
      const prepare = Effect.fnUntraced(function* (givenUp: Installation | null) {
        const instance = yield* instances.get
        if (instance?.announced === true) return null
        // Somebody began since the wait was over, and is to have as long as anybody.
        if (instance !== null && !isSame(instance, givenUp))
          return yield* new WriteConflict({ constraint: "instance" })
        if (instance === null) {
          const linkSecret = toHex(crypto.randomBytes(linkSecretBytes))
          const issued = yield* issue(yield* setUp, linkSecret)
          yield* instances.insert(issued.instance)
          return issued.secrets
        }
        const issued = yield* reissue(instance)
        yield* instances.save(issued.instance, instance.managementTokenHash)
        return issued.secrets
      })

      const isSame = (one: Installation, other: Installation | null) =>
        other !== null && crypto.constantTimeEquals(one.managementTokenHash, other.managementTokenHash)

      /** Waits for another process's first start; answers the record it has come to, or at which patience ended. */
      const awaitOther = (patience: number): Effect.Effect<Installation | null, Unavailable> =>
        Effect.flatMap(instances.get, (instance) =>
          patience <= 0 || instance === null || instance.announced
            ? Effect.succeed(instance)
            : Effect.andThen(Effect.sleep(pollMillis), awaitOther(patience - pollMillis))
        )

      /** The record, where its secrets are these. */
      const ofSecrets = ({ managementToken }: FirstSecrets) =>
        Effect.map(instances.get, (instance) =>
          instance !== null &&
          crypto.constantTimeEquals(crypto.sha256Hex(managementToken), instance.managementTokenHash)
            ? instance
            : null
        )

      return Bootstrap.of({
        prepare: (patience) => {
          const once = (givenUp: Installation | null) =>
            transaction.run(Effect.provideContext(prepare(givenUp), context))
          return retryConflicts(Effect.flatMap(awaitOther(patience), once))
        },
        isCurrent: (secrets) => Effect.map(ofSecrets(secrets), (instance) => instance !== null),
        markShown: (secrets) =>
          Effect.flatMap(ofSecrets(secrets), (instance) =>
            instance === null
              ? Effect.void
              : Effect.catchTag(
                  instances.save({ ...instance, announced: true }, instance.managementTokenHash),
                  "WriteConflict",
                  () => Effect.void
                )
          )
      })
    })
  )
}
