/**
 * Checks at startup that this process has the secret key with which the database was set up. With another key it could not open
 * what is sealed in the database, and no other node could open what it seals.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { Transaction } from "../ports/Transaction.ts"
import { sealPlainSecret } from "./InstallationSecrets.ts"

/** The secret key is not the one with which the database was set up. */
export class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{}> {
  override get message(): string {
    return (
      "The secret key is not the one this database was set up with: give every node the same SVC_SECRET_KEY. " +
      "If the key is lost, svc secrets reset says what else is lost with it"
    )
  }
}

/** The purpose of the sealed string with which a key is checked. */
export const secretCheckPurpose = "secret check"

/** The content that is sealed to check a key. */
const content = "svc"

/** The string with which a key is checked, sealed. */
export const sealSecretCheck = Effect.flatMap(SecretBox, ({ seal }) => seal(content, secretCheckPurpose))

/**
 * Checks the secret key, then seals what an earlier version stored unencrypted. Called after the first start. The first process
 * that calls it determines the right key. Fails with {@link SecretKeyDiffers}.
 */
export const checkSecretKey = Effect.gen(function* () {
  const store = yield* InstallationStore
  const secrets = yield* SecretBox
  const transaction = yield* Transaction
  const stored = yield* store.secretCheck(yield* sealSecretCheck)
  if (stored === null) return
  yield* Effect.catchTag(Effect.asVoid(secrets.open(stored, secretCheckPurpose)), "CannotOpen", () =>
    Effect.fail(new SecretKeyDiffers())
  )
  yield* transaction.run(sealPlainSecret)
})
