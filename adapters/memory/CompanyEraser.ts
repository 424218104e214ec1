/**
 * Erases companies from memory, in every table of the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { CompanyEraser } from "../../core/ports/CompanyEraser.ts"
import { Database } from "./engine/Database.ts"
import { SharedTables } from "./tables/SharedTables.ts"

/** The fields that say to which company a row belongs. */
interface Owned {
  readonly accountId?: unknown
  readonly companyId?: unknown
}

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { accounts, companies } = yield* SharedTables

  return CompanyEraser.of({
    erase: ({ id, liveAccountId, sandboxAccountId }, limit) =>
      database.write(() => {
        const owners: ReadonlySet<unknown> = new Set([liveAccountId, sandboxAccountId])
        const isOwned = ({ accountId, companyId }: Owned) => owners.has(accountId) || companyId === id
        let gone = 0
        for (const table of database.tables) {
          if (table === accounts) continue
          const isWhole = owners.has(table.owner)
          gone += table.removeWhere((row) => isWhole || isOwned(row), limit)
        }
        if (gone > 0) return gone
        accounts.removeMany([liveAccountId, sandboxAccountId])
        companies.remove(id)
        return 0
      })
  })
}).pipe(Layer.effect(CompanyEraser))
