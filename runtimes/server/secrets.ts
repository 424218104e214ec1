/**
 * Provides the SecretBox that seals secrets with the installation's key.
 *
 * @module
 */
import { Effect, Exit, Layer, Redacted } from "effect"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import { randomSecretKey, secretKeyOf, secretKeyOfDirectory } from "../../adapters/crypto/SecretKey.ts"
import { secretCheckPurpose } from "../../core/accounts/SecretCheck.ts"
import { InstallationStore } from "../../core/ports/InstallationStore.ts"
import type { Configuration } from "../config/config.ts"

type SecretConfiguration = Pick<Configuration, "dataDir" | "previousSecretKey" | "secretKey" | "store">

const keyOfText = (text: Redacted.Redacted) => Effect.promise(() => secretKeyOf(Redacted.value(text)))

/**
 * The keys of a configuration: `SVC_SECRET_KEY`, or else the key file in the data directory, and `SVC_SECRET_KEY_PREVIOUS`.
 * Storage in memory uses a random key. Fails with `SecretKeyFileInvalid`.
 */
export const secretKeysOf = Effect.fnUntraced(function* ({
  dataDir,
  previousSecretKey,
  secretKey,
  store
}: SecretConfiguration) {
  const current =
    secretKey !== null
      ? yield* keyOfText(secretKey)
      : store._tag === "Memory"
        ? randomSecretKey()
        : yield* secretKeyOfDirectory(dataDir)
  return { current, previous: previousSecretKey === null ? null : yield* keyOfText(previousSecretKey) }
})

/**
 * The SecretBox of a configuration. The previous key is used for sealing as long as the check in the database is sealed with it.
 * So all nodes change keys at the same time, when `svc secrets rotate` seals the check with the current key.
 */
export const secretsLayer = (configuration: SecretConfiguration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const store = yield* InstallationStore
      const { current, previous } = yield* secretKeysOf(configuration)
      const box = SecretBox.makeSecretBox(current)
      const sealsWithPrevious = Effect.gen(function* () {
        const check = yield* store.getSecretCheck
        return check !== null && Exit.isFailure(yield* Effect.exit(box.open(check, secretCheckPurpose)))
      }).pipe(Effect.orElseSucceed(() => true))
      return SecretBox.layer(current, { previous, sealsWithPrevious })
    })
  )
