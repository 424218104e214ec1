/**
 * Checks at startup that this process has the secret key the database was set up with. With another key it could not
 * open what the database holds sealed, and no other node could open what it seals.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { Transaction } from "../ports/Transaction.ts"
import { sealPlainSecret } from "./InstallationSecrets.ts"

/** The secret key is not the one the database was set up with. */
export class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{}> {
  override get message(): string {
    return (
      "The secret key is not the one this database was set up with: give every node the same SVC_SECRET_KEY. " +
      "If the key is lost, svc secrets reset says what else is lost with it"
    )
  }
}

/** The purpose of the sealed string by which a key is checked. */
export const secretCheckPurpose = "secret check"

/** What is sealed to check a key. */
const content = "svc"

/** The string by which a key is checked, sealed. */
export const sealSecretCheck = Effect.flatMap(SecretBox, ({ seal }) => seal(content, secretCheckPurpose))

/**
 * Checks the secret key, then seals what an earlier version stored in clear; called after the first start. The first
 * process that calls it decides which key is the right one. Fails with {@link SecretKeyDiffers}.
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
