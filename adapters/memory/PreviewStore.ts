/**
 * Stores previews in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { maxPreviews, type Preview, PreviewStore } from "../../core/ports/PreviewStore.ts"
import { Database } from "./engine/Database.ts"
import { all, byField, firstRows, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const oldest = byField("expiresAt")
  const ofOwner = new SortedIndex<Preview>(({ accountId, owner }) => `${accountId} ${owner}`, oldest)
  const expiring = new SortedIndex<Preview>(() => all, oldest)
  const previews = new Table<Preview>(database, {
    key: ({ accountId, id }) => `${accountId} ${id}`,
    indexes: [ofOwner, expiring]
  })
  const remove = (gone: ReadonlyArray<Preview>) =>
    previews.removeMany(gone.map(({ accountId, id }) => `${accountId} ${id}`))

  return PreviewStore.of({
    insert: (preview) =>
      database.write(() => {
        previews.insert(frozen(preview))
        const own = ofOwner.rows(`${preview.accountId} ${preview.owner}`)
        remove(own.slice(0, Math.max(0, own.length - maxPreviews)))
      }),
    find: (accountId, id, owner) =>
      database.read(() => {
        const found = previews.get(`${accountId} ${id}`)
        return found?.owner === owner ? found : null
      }),
    clear: (accountId) =>
      database.write(() => remove([...expiring.rows(all)].filter((one) => one.accountId === accountId))),
    prune: (before, limit) =>
      database.write(() => {
        const gone = firstRows(expiring.rows(all), limit, ({ expiresAt }) => expiresAt < before)
        remove(gone)
        return gone.length
      })
  })
}).pipe(Layer.effect(PreviewStore))
