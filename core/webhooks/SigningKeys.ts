/**
 * Creates and opens the signing secrets of webhooks. They are stored sealed, and opened ones are cached.
 *
 * @module
 */
import { Cache, Context, Effect, Exit, Layer } from "effect"
import { Crypto } from "../ports/Crypto.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { formatSecret, keyOfSecret, secretBytes } from "./Signature.ts"
import { type SigningSecret, webhookPurpose, type WebhookRef } from "../model/Webhook.ts"

/** The maximum number of opened keys in the cache. */
const maxCached = 10_000

/** Creates and opens signing secrets. */
export class SigningKeys extends Context.Service<SigningKeys>()("svc/webhooks/SigningKeys", {
  make: Effect.gen(function* () {
    const box = yield* SecretBox
    const crypto = yield* Crypto
    // A sealed secret always opens to the same key, so successes do not expire. Failures are not cached.
    const opened = yield* Cache.makeWith(
      ({ purpose, sealed }: { readonly purpose: string; readonly sealed: string }) =>
        Effect.map(box.open(sealed, purpose), keyOfSecret),
      { capacity: maxCached, timeToLive: (exit) => (Exit.isSuccess(exit) ? Infinity : 0) }
    )

    return {
      /** Creates a new secret of a webhook, in clear to be shown once, and sealed to be stored. */
      make: Effect.fn("SigningKeys.make")(function* (ref: WebhookRef) {
        const secret = formatSecret(crypto.randomBytes(secretBytes))
        return { secret, sealed: yield* box.seal(secret, webhookPurpose(ref)) }
      }),

      /** The signing keys of a webhook's secrets, in order. */
      open: (ref: WebhookRef, secrets: ReadonlyArray<SigningSecret>) => {
        const purpose = webhookPurpose(ref)
        return Effect.forEach(secrets, ({ sealed }) => Cache.get(opened, { purpose, sealed }))
      }
    }
  })
}) {
  static readonly layer = Layer.effect(SigningKeys, SigningKeys.make)
}
