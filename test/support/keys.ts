/**
 * Keys of an installation for use cases that are tested without one. All of them are the same key.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import * as SecretBox from "../../adapters/crypto/SecretBox.ts"
import { InstallationKeys, type Keys } from "../../core/accounts/InstallationKeys.ts"
import type { KeyRing } from "../../core/accounts/KeyRing.ts"

/** A ring of one key. */
export const ringOf = (key: Uint8Array): KeyRing => [{ id: "001", key }]

/** `InstallationKeys` with one key for every use. */
export const installationKeys = (key: Uint8Array, others: Partial<Keys> = {}) => {
  const ring = ringOf(key)
  const keys: Keys = {
    links: ring,
    addresses: key,
    logs: key,
    audit: key,
    reports: ring,
    tracking: ring,
    setup: ring,
    devices: ring,
    flows: ring,
    ...others
  }
  return Layer.succeed(
    InstallationKeys,
    InstallationKeys.of({
      get: Effect.succeed(keys),
      prove: (attempt) => Effect.succeed(attempt(keys)),
      invalidate: Effect.void
    })
  )
}

/** A box whose key is all zeros. */
export const zeroBox = SecretBox.layer(new Uint8Array(32))
