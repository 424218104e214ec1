/**
 * Replaces the secrets of a running installation: creates a new signing secret, and seals with the current secret key what the
 * previous key has sealed.
 *
 * @module
 */
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import type { Actor } from "../model/Actor.ts"
import { AuditTrail } from "../accounts/AuditTrail.ts"
import { InstallationKeys } from "../accounts/InstallationKeys.ts"
import { acceptedMillis, installationPurpose, replaceSigningSecret } from "../accounts/InstallationSecrets.ts"
import { secretCheckPurpose } from "../accounts/SecretCheck.ts"
import { Atomically } from "../kernel/atomically.ts"
import { noAccount } from "../model/Account.ts"
import { dkimPurpose } from "../model/Domain.ts"
import { providerPurpose } from "../model/IdentityProvider.ts"
import { relayPurpose } from "../model/MailRelay.ts"
import { storePurpose } from "../model/Store.ts"
import { totpPurpose, type User } from "../model/User.ts"
import { webhookPurpose } from "../model/Webhook.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import type { Crypto } from "../ports/Crypto.ts"
import { DomainStore } from "../ports/DomainStore.ts"
import { IdentityProviderStore } from "../ports/IdentityProviderStore.ts"
import { RelayStore } from "../ports/RelayStore.ts"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import type { WriteConflict } from "../ports/Transaction.ts"
import { UserStore } from "../ports/UserStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import type { Unavailable } from "../shared/Problem.ts"
import { readAll } from "../shared/Page.ts"
import { accountIds } from "./AllAccounts.ts"

/** The result of a rotation. */
export interface Rotation {
  /** Until when links signed with the previous secret are accepted, epoch milliseconds. */
  readonly acceptedUntil: number
  /** The number of secrets sealed again: all that the previous secret key had sealed. */
  readonly resealed: number
  /** The number of secrets that neither key opens. They are left unchanged. */
  readonly unreadable: number
}

/** A record with its secrets as they are to be stored, and the numbers of those sealed again and unreadable. */
interface Resealed<A> {
  readonly value: A
  readonly resealed: number
  readonly unreadable: number
}

/**
 * The maximum number of passes over everything that is sealed. Passes end when one finds nothing that another node sealed with
 * the previous key meanwhile.
 */
const maxPasses = 5

/** Rotates the installation's secrets. */
export class SecretRotation extends Context.Service<
  SecretRotation,
  {
    /**
     * Creates a new signing secret, whose signatures every node accepts at once, and seals everything with the current secret
     * key. From the beginning of the rotation, all nodes seal with the current key. The secret that hashes addresses stays the
     * same.
     */
    readonly rotate: (actor: Actor) => Effect.Effect<Rotation, Unavailable>
  }
>()("svc/secrets/SecretRotation") {
  static readonly layer = Layer.effect(
    SecretRotation,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const box = yield* SecretBox
      const domains = yield* DomainStore
      const installation = yield* InstallationStore
      const keys = yield* InstallationKeys
      const providers = yield* IdentityProviderStore
      const relays = yield* RelayStore
      const stores = yield* ConnectedStores
      const users = yield* UserStore
      const webhooks = yield* WebhookStore
      const atomically = yield* Atomically
      const { record } = yield* AuditTrail
      const scope = yield* Effect.scope
      const context = yield* Effect.context<AccountStore | Crypto | InstallationStore | SecretBox>()

      const reseal = (sealed: string, purpose: string): Effect.Effect<Resealed<string>> =>
        Effect.match(box.reseal(sealed, purpose), {
          onSuccess: (again) => ({ value: again ?? sealed, resealed: again === null ? 0 : 1, unreadable: 0 }),
          onFailure: () => ({ value: sealed, resealed: 0, unreadable: 1 })
        })

      /** Seals each part of a record again. */
      const resealParts = Effect.fnUntraced(function* <Part>(
        parts: ReadonlyArray<Part>,
        sealedOf: (part: Part) => string,
        purposeOf: (part: Part) => string,
        withSealed: (part: Part, sealed: string) => Part
      ) {
        const all = yield* Effect.forEach(parts, (part) => reseal(sealedOf(part), purposeOf(part)))
        return {
          value: parts.map((part, index) => withSealed(part, all[index]!.value)),
          resealed: all.reduce((sum, one) => sum + one.resealed, 0),
          unreadable: all.reduce((sum, one) => sum + one.unreadable, 0)
        } satisfies Resealed<ReadonlyArray<Part>>
      })

      /** Seals again the records that need it. They are locked, so that no concurrent change is lost. */
      const resealRecords = Effect.fnUntraced(function* <A>(
        found: ReadonlyArray<A>,
        resealRecord: (record: A) => Effect.Effect<Resealed<A>>,
        lock: (records: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<A>, Unavailable>,
        save: (records: ReadonlyArray<A>) => Effect.Effect<void, WriteConflict | Unavailable>
      ) {
        const looked = yield* Effect.forEach(found, resealRecord)
        const stale = found.filter((_, index) => looked[index]!.resealed > 0)
        if (stale.length > 0) {
          yield* atomically(
            Effect.gen(function* () {
              const changed = yield* Effect.forEach(yield* lock(stale), resealRecord)
              yield* save(changed.map(({ value }) => value))
            })
          )
        }
        return looked
      })

      const ofDomains = (accountId: string) =>
        Effect.flatMap(
          readAll((page) => domains.list(accountId, page)),
          (found) =>
            resealRecords(
              found,
              (domain) =>
                Effect.map(
                  resealParts(
                    domain.keys,
                    ({ sealedKey }) => sealedKey,
                    ({ selector }) => dkimPurpose({ domain: domain.domain, selector }),
                    (key, sealedKey) => ({ ...key, sealedKey })
                  ),
                  (parts) => ({ ...parts, value: { ...domain, keys: parts.value } })
                ),
              domains.lock,
              domains.save
            )
        )

      const ofWebhooks = (accountId: string) =>
        Effect.flatMap(
          readAll((page) => webhooks.list(accountId, page)),
          (found) =>
            resealRecords(
              found,
              (webhook) =>
                Effect.map(
                  resealParts(
                    webhook.secrets,
                    ({ sealed }) => sealed,
                    () => webhookPurpose({ accountId, webhookId: webhook.id }),
                    (secret, sealed) => ({ ...secret, sealed })
                  ),
                  (parts) => ({ ...parts, value: { ...webhook, secrets: parts.value } })
                ),
              (stale) => webhooks.lock(stale.map(({ id }) => ({ accountId, webhookId: id }))),
              webhooks.save
            )
        )

      const ofStores = (accountId: string) =>
        Effect.flatMap(
          readAll((page) => stores.list(accountId, page)),
          (found) =>
            resealRecords(
              found,
              (store) =>
                Effect.map(reseal(store.webhookSecret, storePurpose(store.id)), (one) => ({
                  ...one,
                  value: { ...store, webhookSecret: one.value }
                })),
              (stale) =>
                // Connecting and disconnecting lock the account too.
                Effect.andThen(
                  accounts.lock([accountId]),
                  Effect.map(
                    Effect.forEach(stale, ({ id }) => stores.get(accountId, id)),
                    (locked) => locked.filter((store) => store !== null)
                  )
                ),
              (saved) => Effect.forEach(saved, stores.save, { discard: true })
            )
        )

      /** The secrets of users' one-time passwords. */
      const ofUsers = Effect.flatMap(readAll<User, Unavailable, never>(users.list), (found) =>
        resealRecords(
          found.filter(({ totpSecret }) => totpSecret !== null),
          (user) =>
            Effect.map(reseal(user.totpSecret!, totpPurpose(user.id)), (one) => ({
              ...one,
              value: { ...user, totpSecret: one.value }
            })),
          (stale) =>
            Effect.map(users.lock(stale.map(({ id }) => id)), (locked) =>
              locked.filter(({ totpSecret }) => totpSecret !== null)
            ),
          (saved) => Effect.forEach(saved, users.save, { discard: true })
        )
      )

      /** The client secrets of identity providers. */
      const ofProviders = Effect.flatMap(providers.all, (found) =>
        resealRecords(
          found,
          (provider) =>
            Effect.map(reseal(provider.clientSecret, providerPurpose(provider.id)), (one) => ({
              ...one,
              value: { ...provider, clientSecret: one.value }
            })),
          // Nothing else changes a secret, so no lock is needed.
          Effect.succeed,
          (saved) =>
            Effect.forEach(saved, ({ clientSecret, id }) => providers.saveSecret(id, clientSecret), {
              discard: true
            })
        )
      )

      /** The credentials of relays, and the secrets of their reports. */
      const ofRelays = Effect.flatMap(relays.all, (found) =>
        resealRecords(
          found.map((relay) => ({ id: relay.id, from: relay.secrets, secrets: relay.secrets })),
          (relay) =>
            Effect.map(reseal(relay.secrets, relayPurpose(relay.id)), (one) => ({
              ...one,
              value: { ...relay, secrets: one.value }
            })),
          // A secret that is replaced meanwhile is sealed with the current key already.
          Effect.succeed,
          (saved) =>
            Effect.forEach(saved, ({ from, id, secrets }) => relays.resealSecrets(id, from, secrets), {
              discard: true
            })
        )
      )

      /** One pass over all sealed secrets of accounts and users. */
      const pass = Effect.gen(function* () {
        let resealed = 0
        let unreadable = 0
        const add = (all: ReadonlyArray<Resealed<unknown>>) => {
          for (const one of all) {
            resealed += one.resealed
            unreadable += one.unreadable
          }
        }
        add(yield* ofUsers)
        add(yield* ofProviders)
        add(yield* ofRelays)
        for (const accountId of yield* accountIds) {
          add(yield* ofDomains(accountId))
          add(yield* ofWebhooks(accountId))
          add(yield* ofStores(accountId))
        }
        return { resealed, unreadable }
      }).pipe(Effect.provideContext(context))

      /** Seals the installation's own secrets again. From then on, everything is sealed with the current key. */
      const replaceOwn = Effect.gen(function* () {
        yield* installation.lock
        const check = yield* installation.getSecretCheck
        if (check !== null) {
          const { resealed, value } = yield* reseal(check, secretCheckPurpose)
          if (resealed > 0) yield* installation.replaceSecretCheck(value)
        }
        const parts = yield* resealParts(
          yield* installation.secrets,
          ({ sealed }) => sealed,
          ({ id }) => installationPurpose(id),
          (secret, sealed) => ({ ...secret, sealed })
        )
        yield* installation.saveSecrets(parts.value)
        yield* replaceSigningSecret
        return parts
      }).pipe(Effect.provideContext(context))

      const rotate = Effect.fn("SecretRotation.rotate")(function* (actor: Actor) {
        const acceptedUntil = (yield* Clock.currentTimeMillis) + acceptedMillis
        const own = yield* atomically(replaceOwn)
        yield* keys.invalidate
        let { resealed, unreadable } = own
        for (let passes = 0; passes < maxPasses; passes++) {
          const found = yield* pass
          resealed += found.resealed
          unreadable = own.unreadable + found.unreadable
          if (found.resealed === 0) break
        }
        yield* Effect.annotateLogs(Effect.logInfo("secrets rotated"), { resealed, unreadable })
        yield* record(actor, {
          accountId: noAccount,
          action: "secrets.rotated",
          target: noAccount,
          before: null,
          after: { resealed, unreadable }
        })
        return { acceptedUntil, resealed, unreadable }
      })

      return SecretRotation.of({
        // A rotation is completed even if its call ends before.
        rotate: (actor) => Effect.flatMap(Effect.forkIn(rotate(actor), scope), Fiber.join)
      })
    })
  )
}
