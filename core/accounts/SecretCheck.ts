/**
 * Tells at a start whether this process has the secret key its store was set up with. With another one, what is sealed
 * in the store could not be opened, and what it seals no other node could open.
 *
 * @module
 */
import { Data, Effect } from "effect"
import { InstallationStore } from "../ports/InstallationStore.ts"
import { SecretBox } from "../ports/SecretBox.ts"

/** The secret key is not the one the store was set up with. */
export class SecretKeyDiffers extends Data.TaggedError("SecretKeyDiffers")<{}> {
  override get message(): string {
    return "The secret key is not the one this store was set up with: give every node the same SVC_SECRET_KEY"
  }
}

const purpose = "secret check"

/** Checks the secret key, once the first start is over; the first process ever to come here decides which one it is. */
export const checkSecretKey = Effect.gen(function* () {
  const instances = yield* InstallationStore
  const secrets = yield* SecretBox
  const kept = yield* instances.secretCheck(yield* secrets.seal("svc", purpose))
  if (kept === null) return
  yield* Effect.catchTag(Effect.asVoid(secrets.open(kept, purpose)), "CannotOpen", () =>
    Effect.fail(new SecretKeyDiffers())
  )
})
