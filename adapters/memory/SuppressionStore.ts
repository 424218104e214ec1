/**
 * The suppression list in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SuppressionStore } from "../../core/ports/SuppressionStore.ts"
import type { Suppression } from "../../core/sending/Suppression.ts"
import { Database } from "./Database.ts"
import { GroupIndex } from "./GroupIndex.ts"
import { compareText, OrderIndex } from "./OrderIndex.ts"
import { frozen, Table } from "./Table.ts"

const keyOf = (entry: { readonly accountId: string; readonly email: string }): string =>
  `${entry.accountId} ${entry.email}`

/** The port over a shared {@link Database}. */
export const layer = Layer.effect(
  SuppressionStore,
  Effect.gen(function* () {
    const database = yield* Database
    // Read backwards: newest first, then by address.
    const order = new OrderIndex<Suppression>(
      (entry) => entry.accountId,
      (a, b) => a.createdAt - b.createdAt || compareText(b.email, a.email)
    )
    const hashed = new GroupIndex<Suppression>(
      (entry) => (entry.email.includes("@") ? null : entry.accountId),
      (entry) => entry.email
    )
    const entries = new Table<Suppression>(database, { key: keyOf, indexes: [order, hashed] })

    return SuppressionStore.of({
      // Transactions in memory are one after the other as it is.
      lock: () => Effect.void,
      find: (refs) => database.read(() => entries.getMany(refs.map(keyOf))),
      put: (added) =>
        database.write(() => {
          for (const entry of added) {
            const listed = entries.get(keyOf(entry))
            if (listed === undefined) entries.insert(frozen(entry))
            else entries.replace({ ...listed, kind: entry.kind })
          }
        }),
      remove: (accountId, email) => database.write(() => entries.remove(keyOf({ accountId, email })) ?? null),
      erase: (accountId, addresses) =>
        database.write(() => {
          for (const { email, hash } of addresses) {
            const entry = entries.remove(keyOf({ accountId, email }))
            if (entry === undefined) continue
            const listed = entries.get(keyOf({ accountId, email: hash }))
            if (listed === undefined) entries.insert({ ...entry, email: hash })
            else entries.replace({ ...listed, kind: entry.kind })
          }
        }),
      holds: (accountId) =>
        database.read(() => ({
          listed: order.rows(accountId).length > 0,
          erased: hashed.members(accountId).size > 0
        })),
      restore: (accountId, addresses) =>
        database.write(() => {
          for (const { email, hash } of addresses) {
            const entry = entries.remove(keyOf({ accountId, email: hash }))
            if (entry === undefined || entries.get(keyOf({ accountId, email })) !== undefined) continue
            entries.insert({ ...entry, email })
          }
        }),
      list: (accountId, page) => database.read(() => order.page(accountId, page))
    })
  })
)
