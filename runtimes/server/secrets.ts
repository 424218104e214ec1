/**
 * Provides the installation's secret key, which encrypts stored secrets.
 *
 * @module
 */
import { Effect, Layer, Redacted } from "effect"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import { randomSecretKey, secretKeyOf, secretKeyOfDirectory } from "../../adapters/crypto/SecretKey.ts"
import type { Configuration } from "../config/config.ts"

/**
 * The SecretBox of a configuration: by `SVC_SECRET_KEY`, else by the key file of the data directory. A store that goes
 * with the process gets a key that does too. Fails with `SecretKeyFileInvalid`.
 */
export const secretsLayer = ({
  dataDir,
  secretKey,
  store
}: Pick<Configuration, "dataDir" | "secretKey" | "store">) => {
  if (secretKey !== null) {
    return Layer.unwrap(
      Effect.map(
        Effect.promise(() => secretKeyOf(Redacted.value(secretKey))),
        SecretBox.layer
      )
    )
  }
  return store._tag === "Memory"
    ? SecretBox.layer(randomSecretKey())
    : Layer.unwrap(Effect.map(secretKeyOfDirectory(dataDir), SecretBox.layer))
}
