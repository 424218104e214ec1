/**
 * Stores the access of operators in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { AccessStore } from "../../core/ports/AccessStore.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"
import { SharedTables } from "./tables/SharedTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { access } = yield* SharedTables

  return AccessStore.of({
    open: (opened) =>
      database.write(() => {
        access.remove(`${opened.userId} ${opened.companyId}`)
        access.insert(frozen(opened))
      }),
    close: (companyId, userId) => database.write(() => access.remove(`${userId} ${companyId}`) !== undefined),
    find: (userId, now) =>
      database.read(() => [...access.rows()].filter((one) => one.userId === userId && one.until > now)),
    prune: (before, limit) =>
      database.write(() => {
        const old = [...access.rows()].filter(({ until }) => until < before).slice(0, limit)
        access.removeMany(old.map(({ companyId, userId }) => `${userId} ${companyId}`))
        return old.length
      })
  })
}).pipe(Layer.effect(AccessStore))
