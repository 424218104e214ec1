/**
 * Stores the suppression list in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import { Database } from "./engine/Database.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { frozen } from "./engine/Table.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { suppressionsOf } = yield* ExportTables

  return SuppressionStore.of({
    // Transactions run one after the other.
    lock: () => Effect.void,
    find: (refs) =>
      database.read(() => {
        const found = refs.map(({ accountId, email }) => suppressionsOf(accountId).entries.get(email))
        return [...new Set(found)].filter((entry) => entry !== undefined)
      }),
    put: (added) =>
      database.write(() => {
        for (const entry of added) {
          const { entries } = suppressionsOf(entry.accountId)
          const listed = entries.get(entry.email)
          if (listed === undefined) entries.insert(frozen(entry))
          else entries.replace({ ...listed, kind: entry.kind, source: entry.source })
        }
      }),
    remove: (accountId, email) =>
      database.write(() => suppressionsOf(accountId).entries.remove(email) ?? null),
    erase: (accountId, addresses) =>
      database.write(() => {
        const { entries } = suppressionsOf(accountId)
        for (const { email, hash } of addresses) {
          const entry = entries.remove(email)
          if (entry === undefined) continue
          const listed = entries.get(hash)
          if (listed === undefined) entries.insert({ ...entry, email: hash })
          else entries.replace({ ...listed, kind: entry.kind, source: entry.source })
        }
      }),
    holds: (accountId) =>
      database.read(() => {
        const { holdsHashes, rows } = suppressionsOf(accountId)
        return { listed: rows().length > 0, erased: holdsHashes() }
      }),
    restore: (accountId, addresses) =>
      database.write(() => {
        const { entries } = suppressionsOf(accountId)
        for (const { email, hash } of addresses) {
          const entry = entries.remove(hash)
          if (entry === undefined || entries.get(email) !== undefined) continue
          entries.insert({ ...entry, email })
        }
      }),
    list: (accountId, page, { kind = null, q = null, since = null, source = null, until = null } = {}) =>
      database.read(() =>
        suppressionsOf(accountId).page(
          page,
          (entry) =>
            (kind === null || kind.includes(entry.kind)) &&
            (source === null || (entry.source !== null && source.includes(entry.source))) &&
            (q === null || entry.email.startsWith(q)) &&
            (since === null || entry.createdAt >= since) &&
            (until === null || entry.createdAt < until)
        )
      )
  })
}).pipe(Layer.effect(SuppressionStore))
