/**
 * Stores set-up links in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import type { SetupLink } from "../../core/model/User.ts"
import { SetupLinkStore } from "../../core/ports/SetupLinkStore.ts"
import { Database } from "./engine/Database.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const links = new Table<SetupLink>(database, { key: ({ hash }) => hash })

  const removeWhere = (isGone: (link: SetupLink) => boolean, limit: number): number => {
    const gone = [...links.rows()].filter(isGone).slice(0, limit)
    links.removeMany(gone.map(({ hash }) => hash))
    return gone.length
  }

  return SetupLinkStore.of({
    insert: (link) => database.write(() => void links.insert(frozen(link))),
    find: (hash) => database.read(() => links.get(hash) ?? null),
    use: (hash, now) =>
      database.write(() => {
        const link = links.get(hash)
        if (link === undefined || link.usedAt !== null) return false
        links.replace({ ...link, usedAt: now })
        return true
      }),
    removeOf: (userId, companyId) =>
      database.write(() => {
        const isGone = (link: SetupLink) =>
          link.userId === userId && (companyId === null || link.companyId === companyId)
        removeWhere(isGone, Infinity)
      }),
    prune: (before, limit) => database.write(() => removeWhere((link) => link.expiresAt < before, limit))
  })
}).pipe(Layer.effect(SetupLinkStore))
