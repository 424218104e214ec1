/**
 * Stores passkeys in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { Passkey } from "../../core/model/Passkey.ts"
import { PasskeyStore } from "../../core/ports/PasskeyStore.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const ofUser = new SortedIndex<Passkey>(({ userId }) => userId, byField("createdAt"))
  const passkeys = new Table<Passkey, "passkeys_credential">(database, {
    key: ({ id }) => id,
    unique: { passkeys_credential: ({ credentialId }) => credentialId },
    indexes: [ofUser]
  })

  const own = (userId: string, id: string): Passkey | null => {
    const found = passkeys.get(id)
    return found?.userId === userId ? found : null
  }

  return PasskeyStore.of({
    insert: (passkey) => database.writeOrConflict(() => void passkeys.insert(frozen(passkey))),
    findCredential: (credentialId) =>
      database.read(() => passkeys.by("passkeys_credential", credentialId) ?? null),
    list: (userId) => database.read(() => ofUser.rows(userId).toReversed()),
    use: (id, counter, lastUsedAt) =>
      database.write(() => {
        const found = passkeys.get(id)
        const isAhead =
          found !== undefined && (counter > found.counter || (counter === 0 && found.counter === 0))
        if (isAhead) passkeys.replace({ ...found, counter, lastUsedAt })
        return isAhead
      }),
    rename: (userId, id, name) =>
      database.write(() => {
        const found = own(userId, id)
        return found === null ? null : passkeys.replace({ ...found, name })
      }),
    remove: (userId, id) =>
      database.write(() => {
        const found = own(userId, id)
        if (found !== null) passkeys.remove(id)
        return found
      })
  })
}).pipe(Layer.effect(PasskeyStore))
