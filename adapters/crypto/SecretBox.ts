/**
 * Implements the SecretBox port with AES-256-GCM from `node:crypto`. A sealed secret is `v1.` and the base64url of nonce (12
 * random bytes), ciphertext and tag (16 bytes). Its purpose is the additional authenticated data.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { CannotOpen, SecretBox } from "../../core/ports/SecretBox.ts"

const cipher = "aes-256-gcm"
const version = "v1."
const nonceBytes = 12
const tagBytes = 16

const seal = (
  key: Uint8Array,
  text: string,
  { nonce, purpose }: { nonce: Uint8Array; purpose: string }
): string => {
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  sealing.setAAD(Buffer.from(version + purpose, "utf8"))
  const parts = [nonce, sealing.update(text, "utf8"), sealing.final(), sealing.getAuthTag()]
  return version + Buffer.concat(parts).toString("base64url")
}

const open = (key: Uint8Array, sealed: string, purpose: string): string => {
  if (!sealed.startsWith(version)) throw new CannotOpen()
  const bytes = Buffer.from(sealed.slice(version.length), "base64url")
  if (bytes.length < nonceBytes + tagBytes) throw new CannotOpen()
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(version + purpose, "utf8"))
  opening.setAuthTag(bytes.subarray(-tagBytes))
  const text = opening.update(bytes.subarray(nonceBytes, -tagBytes))
  return Buffer.concat([text, opening.final()]).toString("utf8")
}

/** Options of a SecretBox. */
export interface SecretBoxOptions {
  /** Generates the nonces, which must all be different. */
  readonly random?: (size: number) => Uint8Array
  /** The previous key (32 bytes), while it is being replaced. */
  readonly previous?: Uint8Array | null
  /** Whether the previous key is still used for sealing. Evaluated each time. */
  readonly sealsWithPrevious?: Effect.Effect<boolean>
}

const tryOpen = (key: Uint8Array, sealed: string, purpose: string) =>
  Effect.try({ try: () => open(key, sealed, purpose), catch: () => new CannotOpen() })

/** Makes a box with a key of 32 bytes. */
export const makeSecretBox = (
  key: Uint8Array,
  { previous = null, random = randomBytes, sealsWithPrevious = Effect.succeed(false) }: SecretBoxOptions = {}
): SecretBox["Service"] => {
  const sealWith = (by: Uint8Array, text: string, purpose: string) =>
    seal(by, text, { nonce: random(nonceBytes), purpose })
  const openPrevious = (sealed: string, purpose: string) =>
    previous === null ? Effect.fail(new CannotOpen()) : tryOpen(previous, sealed, purpose)
  return SecretBox.of({
    seal: (text, purpose) =>
      previous === null
        ? Effect.sync(() => sealWith(key, text, purpose))
        : Effect.map(sealsWithPrevious, (isPrevious) => sealWith(isPrevious ? previous : key, text, purpose)),
    open: (sealed, purpose) =>
      Effect.catchTag(tryOpen(key, sealed, purpose), "CannotOpen", () => openPrevious(sealed, purpose)),
    reseal: (sealed, purpose) =>
      tryOpen(key, sealed, purpose).pipe(
        Effect.as(null),
        Effect.catchTag("CannotOpen", () =>
          Effect.map(openPrevious(sealed, purpose), (text) => sealWith(key, text, purpose))
        )
      )
  })
}

/** Seals secrets with a key of 32 bytes. */
export const layer = (key: Uint8Array, options?: SecretBoxOptions) =>
  Layer.sync(SecretBox, () => makeSecretBox(key, options))
