/**
 * Adds a passkey to a user.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { refuseOn } from "../../kernel/Conflicts.ts"
import { Ids } from "../../kernel/Ids.ts"
import { maxPasskeys } from "../../model/Passkey.ts"
import type { User } from "../../model/User.ts"
import { PasskeyStore } from "../../ports/PasskeyStore.ts"
import type { NewCredential } from "../../ports/PasskeyVerifier.ts"
import { Problem } from "../../shared/Problem.ts"

/**
 * Stores a passkey of a user, and returns the user with it. The caller must have locked the user, and saves the result in the
 * same transaction. users.passkey_limit_reached; users.passkey_invalid if the passkey is already stored. A passkey without a name
 * gets a numbered one.
 */
export const makeAddPasskey = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* PasskeyStore
  return Effect.fnUntraced(function* (user: User, credential: NewCredential, name: string | null) {
    if (user.passkeys >= maxPasskeys) return yield* Problem.of("users.passkey_limit_reached")
    const passkeys = user.passkeys + 1
    yield* refuseOn("passkeys_credential", () => Problem.of("users.passkey_invalid"))(
      store.insert({
        ...credential,
        id: yield* ids.next,
        userId: user.id,
        name: name ?? `Passkey ${passkeys}`,
        lastUsedAt: null,
        createdAt: yield* Clock.currentTimeMillis
      })
    )
    return { ...user, passkeys } satisfies User
  })
})
