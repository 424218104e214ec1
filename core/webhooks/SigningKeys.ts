/**
 * The signing secrets of webhooks: kept sealed, since they are needed to sign; opened once.
 *
 * @module
 */
import { Effect } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { type CannotOpen, SecretBox } from "../ports/SecretBox.ts"
import { formatSecret, keyOfSecret, secretBytes } from "./Signature.ts"
import type { SigningSecret, WebhookRef } from "../model/Webhook.ts"

/** Opened keys that are remembered. */
const maxRemembered = 10_000

const purposeOf = ({ accountId, webhookId }: WebhookRef): string => `webhook ${accountId} ${webhookId}`

/** What makes and opens signing secrets. */
export const makeSigningKeys = Effect.gen(function* () {
  const box = yield* SecretBox
  const crypto = yield* Crypto
  const known = new Map<string, Uint8Array>()

  const open = Effect.fnUntraced(function* (ref: WebhookRef, { sealed }: SigningSecret) {
    const key = keyOfSecret(yield* box.open(sealed, purposeOf(ref)))
    if (known.size >= maxRemembered) known.clear()
    known.set(sealed, key)
    return key
  })

  return {
    /** A new secret of a webhook: to be shown once, and to be kept. */
    make: Effect.fnUntraced(function* (ref: WebhookRef) {
      const secret = formatSecret(crypto.randomBytes(secretBytes))
      return { secret, sealed: yield* box.seal(secret, purposeOf(ref)) }
    }),
    /** The keys of secrets, in order. */
    open: (
      ref: WebhookRef,
      secrets: ReadonlyArray<SigningSecret>
    ): Effect.Effect<ReadonlyArray<Uint8Array>, CannotOpen> =>
      Effect.forEach(secrets, (secret) => {
        const key = known.get(secret.sealed)
        return key === undefined ? open(ref, secret) : Effect.succeed(key)
      })
  }
})
