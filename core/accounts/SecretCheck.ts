/**
 * Checks at startup that this process has the secret key the database was set up with. With another key it could not
 * open what the database holds sealed, and no other node could open what it seals.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"

/** The secret key is not the one the database was set up with. */
export class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{}> {
  override get message(): string {
    return "The secret key is not the one this database was set up with: give every node the same SVC_SECRET_KEY"
  }
}

const purpose = "secret check"

/**
 * Checks the secret key; called after the first start. The first process that calls it decides which key is the right
 * one. Fails with {@link SecretKeyDiffers}.
 */
export const checkSecretKey = Effect.gen(function* () {
  const store = yield* InstallationStore
  const secrets = yield* SecretBox
  const stored = yield* store.secretCheck(yield* secrets.seal("svc", purpose))
  if (stored === null) return
  yield* Effect.catchTag(Effect.asVoid(secrets.open(stored, purpose)), "CannotOpen", () =>
    Effect.fail(new SecretKeyDiffers())
  )
})
