/**
 * Stores objects in memory, as rows of the stored content.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { maxUnnamedMillis } from "../../core/model/Content.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { timeOfId } from "../../core/shared/Uuid.ts"
import { Database } from "./engine/Database.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: tablesOf } = yield* SubmissionTables
  return ObjectStorage.of({
    place: "Database",
    put: (objects) =>
      database.write(() => {
        for (const { bytes, name } of objects) {
          const { stored } = tablesOf(name.accountId)
          if (stored.get(name.hash) !== undefined) continue
          const removeAt = timeOfId(name.id) + maxUnnamedMillis
          const { hash, id } = name
          stored.insert({ hash, id, bytes: new Uint8Array(bytes), uses: 0, removeAt })
        }
      }),
    get: (names) =>
      database.read(() =>
        names.map(({ accountId, hash }) => {
          // Equal bytes are stored only once, by whichever write came first.
          const bytes = tablesOf(accountId).stored.get(hash)?.bytes ?? null
          return bytes === null ? null : new Uint8Array(bytes)
        })
      ),
    remove: (names) =>
      database.write(() => {
        for (const { accountId, hash, id } of names) {
          const { stored } = tablesOf(accountId)
          const row = stored.get(hash)
          if (row?.id === id && row.uses === 0) stored.remove(hash)
        }
      }),
    list: (accountId, after, limit) =>
      database.read(() =>
        [...tablesOf(accountId).stored.rows()]
          .filter(({ bytes, hash }) => bytes !== null && (after === null || hash > after.hash))
          .map(({ hash, id }) => ({ accountId, hash, id }))
          .sort((a, b) => (a.hash < b.hash ? -1 : 1))
          .slice(0, limit)
      )
  })
}).pipe(Layer.effect(ObjectStorage))
