/**
 * The audit log in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { type AuditEntry, AuditLog } from "../../core/ports/AuditLog.ts"
import { placeBy } from "../../core/shared/Page.ts"
import { Database } from "./engine/Database.ts"
import { byField, SortedIndex } from "./engine/SortedIndex.ts"
import { frozen, Table } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const order = new SortedIndex<AuditEntry>((entry) => entry.accountId, byField("at"))
  const entries = new Table<AuditEntry>(database, { key: (entry) => entry.id, indexes: [order] })
  return AuditLog.of({
    prune: (before, limit) =>
      database.write(() => {
        const old = [...entries.rows()]
          .filter((entry) => entry.at < before)
          .toSorted((a, b) => a.at - b.at)
          .slice(0, limit)
        entries.removeMany(old.map(({ id }) => id))
        return old.length
      }),
    append: (added) =>
      database.write(() => {
        for (const entry of added) entries.insert(frozen(entry))
      }),
    list: (accountId, page) => database.read(() => order.page(accountId, page, placeBy("at")))
  })
}).pipe(Layer.effect(AuditLog))
