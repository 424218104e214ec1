/**
 * Conversions in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { sumAmounts } from "../../core/commerce/platforms/Money.ts"
import { isEarning } from "../../core/model/Order.ts"
import { ConversionStore } from "../../core/ports/ConversionStore.ts"
import { Database } from "./engine/Database.ts"
import { frozen } from "./engine/Table.ts"
import { CommerceTables } from "./tables/CommerceTables.ts"
import { ConversionTables, keyOf } from "./tables/ConversionTables.ts"

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: tablesOf } = yield* ConversionTables
  const { of: ordersOf } = yield* CommerceTables
  const ofContacts = (accountId: string, contactIds: ReadonlyArray<string>) =>
    [...new Set(contactIds)].flatMap((contactId) => tablesOf(accountId).ofContact.rows(contactId))

  return ConversionStore.of({
    of: (accountId, contactIds) => database.read(() => ofContacts(accountId, contactIds)),
    write: (accountId, removed, added) =>
      database.write(() => {
        const { conversions } = tablesOf(accountId)
        conversions.removeMany(removed.map(keyOf))
        for (const conversion of added) conversions.insert(frozen(conversion))
      }),
    countOfFlow: (accountId, flowId) => database.read(() => tablesOf(accountId).ofFlow.rows(flowId).length),
    revenueOfFlow: (accountId, flowId) =>
      database.read(() => {
        const { orders } = ordersOf(accountId)
        const earning = tablesOf(accountId)
          .ofFlow.rows(flowId)
          .flatMap(({ orderId }) => orders.get(orderId) ?? [])
          .filter(({ status }) => isEarning(status))
        return [...Map.groupBy(earning, ({ currency }) => currency)].map(([currency, rows]) => ({
          currency,
          amount: sumAmounts(rows.map(({ total }) => total))
        }))
      }),
    erase: (accountId, contactIds) =>
      database.write(() =>
        tablesOf(accountId).conversions.removeMany(ofContacts(accountId, contactIds).map(keyOf))
      )
  })
}).pipe(Layer.effect(ConversionStore))
