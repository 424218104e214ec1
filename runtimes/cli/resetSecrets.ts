/**
 * The implementation of `svc secrets reset`. It is loaded on demand because it imports the database engine.
 *
 * @module
 */
import { Effect, Exit, Layer } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as KeyMaker from "../../adapters/crypto/KeyMaker.ts"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import * as Embedded from "../../adapters/postgres/engine/Embedded.ts"
import { inspect } from "../../adapters/postgres/engine/Inspection.ts"
import { type SecretLosses, secretLosses } from "../../adapters/postgres/engine/SecretLosses.ts"
import { secretCheckPurpose } from "../../core/accounts/SecretCheck.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import { PublicEndpoint } from "../../core/kernel/PublicEndpoint.ts"
import { resetSecrets } from "../../core/secrets/SecretReset.ts"
import { SigningKeys } from "../../core/webhooks/SigningKeys.ts"
import { configuration } from "../config/config.ts"
import { closeDataDirectory } from "../server/dataDirectory.ts"
import { publicEndpointOf } from "../server/publicEndpoint.ts"
import { secretKeysOf } from "../server/secrets.ts"
import { storageLayer } from "../server/storage.ts"
import { engineOf, explainFailures } from "./migrateStore.ts"
import { BadNews, CommandFailed, print } from "./output.ts"

const describe = ({
  days,
  domains,
  emails,
  erased,
  flows,
  holdouts,
  providers,
  relays,
  stores,
  suppressions,
  users,
  webhooks
}: SecretLosses): string =>
  [
    "The secret key does not match this installation. Without the right key, the following is lost:",
    `  ${domains} sending domains: the DKIM keys. Mail is sent again once new DNS records are published`,
    `  ${webhooks} webhooks: the signing secrets. Rotate each secret and configure the new one at the receiver`,
    `  ${stores} stores: the secrets of their webhooks. Connect each store again`,
    `  ${relays} mail relays: the URLs and the secrets of their reports. Set them again. Until then, no mail is sent through them`,
    `  ${providers} identity providers: the client secrets. Remove and add the providers again. Until then, no user can sign in with them`,
    `  ${users} users with one-time codes: no code is accepted. These users sign in with a recovery code or a passkey and set up codes again`,
    `  ${days} sealed days of audit logs: svc audit verify reports them as changed`,
    `  ${flows} flows with webhook steps: the signing secrets. Configure the new secret at each receiver`,
    `  ${emails} emails: the links to confirm, unsubscribe, change preferences and count clicks stop working, and so do the bounce addresses`,
    `  ${erased} addresses of erased people: an import that contains them adds the people again`,
    `  ${suppressions} suppressions of erased people: they match no address any more, so mail to these addresses is sent again`,
    `  ${holdouts} accounts with a holdout: from then on, a different group of people gets no marketing`
  ].join("\n")

/** Says what is lost with the secret key. With `confirmed`, replaces the key. */
export const resetStoreSecrets = Effect.fnUntraced(function* (confirmed: boolean) {
  const configured = yield* configuration
  const engine = engineOf(configured)
  if (engine === null) return yield* CommandFailed.of("SVC_STORE is memory, so there is nothing to reset")
  const { dataDir, store } = configured
  yield* closeDataDirectory(configured)
  if (store._tag === "Embedded" && !Embedded.isMade(dataDir)) {
    return yield* CommandFailed.of("There is no store yet, so there is nothing to reset")
  }
  const { currentSchema, losses, schema, secretCheck } = yield* Effect.gen(function* () {
    const inspected = yield* inspect
    const isCurrent = inspected.schema === inspected.currentSchema
    return { ...inspected, losses: isCurrent ? yield* secretLosses : null }
  }).pipe(Effect.provide(engine), Effect.scoped, explainFailures(configured))
  if (losses === null) {
    return yield* CommandFailed.of(
      `The store has schema ${schema}, and this version needs ${currentSchema}: run svc migrate`
    )
  }
  const { current, previous } = yield* secretKeysOf(configured)
  const opened = SecretBox.makeSecretBox(current, { previous }).open(secretCheck ?? "", secretCheckPurpose)
  if (secretCheck === null || Exit.isSuccess(yield* Effect.exit(opened))) {
    return yield* CommandFailed.of("The secret key matches this installation, so there is nothing to reset")
  }
  yield* print(describe(losses))
  if (!confirmed) {
    yield* print("Nothing was changed. Stop every server, then confirm with svc secrets reset --yes")
    return yield* new BadNews()
  }
  const services = Layer.mergeAll(Ids.layer, SigningKeys.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Crypto.layer,
        KeyMaker.layer,
        SecretBox.layer(current),
        Layer.succeed(PublicEndpoint, publicEndpointOf(configured).publicEndpoint)
      )
    ),
    Layer.provideMerge(storageLayer(configured))
  )
  const reset = yield* Effect.scoped(Effect.provide(resetSecrets, services))
  return yield* print(
    `Reset: ${reset.domains} domains have new records to publish, and ${reset.webhooks} webhooks and ${reset.stores} ` +
      "stores have new secrets. Start the service with this key, and keep a copy of the key with your backups"
  )
})
