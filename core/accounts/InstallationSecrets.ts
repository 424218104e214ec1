/**
 * Creates and seals the secrets from which the installation's keys are derived.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { type InstallationSecret, InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { toHex } from "../shared/Bytes.ts"
import { keyIdLength, legacyKeyId } from "./KeyRing.ts"

/** The purpose with which SecretBox seals a secret of the installation. */
export const installationPurpose = (id: string): string => `installation ${id}`

/** How long signatures by a replaced secret are still accepted, milliseconds: 365 days. */
export const acceptedMillis = 365 * 86_400_000

const secretBytes = 32
const hashingId = "addresses"

/** The id of the first signing secret. In an installation of an earlier version it is `legacyKeyId`. */
const firstId = "001"

/** The lowest id that is not taken. */
const freeId = (secrets: ReadonlyArray<InstallationSecret>): string => {
  const used = new Set(secrets.map(({ id }) => id))
  for (let number = 1; ; number++) {
    const id = number.toString(36).padStart(keyIdLength, "0")
    if (!used.has(id)) return id
  }
}

const seal = Effect.fnUntraced(function* (
  id: string,
  use: InstallationSecret["use"],
  secret: string
): Effect.fn.Return<InstallationSecret, never, SecretBox> {
  const box = yield* SecretBox
  const createdAt = yield* Clock.currentTimeMillis
  return { id, use, sealed: yield* box.seal(secret, installationPurpose(id)), createdAt, acceptedUntil: null }
})

const newSecret = Effect.map(Crypto, ({ randomBytes }) => toHex(randomBytes(secretBytes)))

/** The secrets of a new installation, not yet stored. */
export const firstSecrets = Effect.gen(function* () {
  return [
    yield* seal(hashingId, "Hashing", yield* newSecret),
    yield* seal(firstId, "Signing", yield* newSecret)
  ]
})

/**
 * Adds a signing secret. Signatures by the previous ones are accepted for another 365 days; older secrets are deleted. Runs in
 * the caller's transaction.
 */
export const replaceSigningSecret = Effect.gen(function* () {
  const store = yield* InstallationStore
  yield* store.lock
  const now = yield* Clock.currentTimeMillis
  const stored = yield* store.secrets
  const expired = stored.filter(({ acceptedUntil }) => acceptedUntil !== null && acceptedUntil <= now)
  const replaced = stored.filter(({ acceptedUntil, use }) => use === "Signing" && acceptedUntil === null)
  const added = yield* seal(freeId(stored), "Signing", yield* newSecret)
  yield* store.removeSecrets(expired.map(({ id }) => id))
  yield* store.saveSecrets([
    added,
    ...replaced.map((secret) => ({ ...secret, acceptedUntil: now + acceptedMillis }))
  ])
})

/**
 * Seals the secret that an earlier version stored unencrypted, and removes the unencrypted one. Its signatures stay valid, and
 * the hashes of erased addresses stay the same.
 */
export const sealPlainSecret = Effect.gen(function* () {
  const store = yield* InstallationStore
  const plain = yield* store.takePlainSecret
  if (plain === null) return
  yield* store.saveSecrets([
    yield* seal(hashingId, "Hashing", plain),
    yield* seal(legacyKeyId, "Signing", plain)
  ])
})
