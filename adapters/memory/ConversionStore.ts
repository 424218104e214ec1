/**
 * Stores conversions in memory.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { sumAmounts } from "../../core/commerce/platforms/Money.ts"
import type { Conversion } from "../../core/model/Conversion.ts"
import type { RecipientState } from "../../core/model/Campaign.ts"
import { isEarning, type Order } from "../../core/model/Order.ts"
import { ConversionStore, type GroupOrders } from "../../core/ports/ConversionStore.ts"
import { Database } from "./engine/Database.ts"
import { all, compareText } from "./engine/SortedIndex.ts"
import { frozen } from "./engine/Table.ts"
import { CampaignTables, recipientKey } from "./tables/CampaignTables.ts"
import { CommerceTables } from "./tables/CommerceTables.ts"
import { ConversionTables, keyOf } from "./tables/ConversionTables.ts"

const dayMillis = 86_400_000

/** The value of orders, sorted by currency. */
const amountsOf = (orders: ReadonlyArray<Order>) =>
  [...Map.groupBy(orders, ({ currency }) => currency)]
    .map(([currency, group]) => ({ currency, amount: sumAmounts(group.map(({ total }) => total)) }))
    .toSorted((a, b) => compareText(a.currency, b.currency))

/** The port over a shared {@link Database}. */
export const layer = Effect.gen(function* () {
  const database = yield* Database
  const { of: tablesOf } = yield* ConversionTables
  const { of: ordersOf } = yield* CommerceTables
  const { of: campaignsOf } = yield* CampaignTables
  const ofContacts = (accountId: string, contactIds: ReadonlyArray<string>) =>
    [...new Set(contactIds)].flatMap((contactId) => tablesOf(accountId).ofContact.rows(contactId))

  /** The value of the orders of conversions, by currency: of those that count as revenue, or of the others. */
  const worthOf = (accountId: string, rows: ReadonlyArray<Conversion>, earns: boolean) => {
    const { orders } = ordersOf(accountId)
    const chosen = rows
      .flatMap(({ orderId }) => orders.get(orderId) ?? [])
      .filter(({ status }) => isEarning(status) === earns)
    return amountsOf(chosen)
  }

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
      database.read(() => worthOf(accountId, tablesOf(accountId).ofFlow.rows(flowId), true)),
    ofCampaigns: (accountId, campaignIds) =>
      database.read(() =>
        campaignIds.map((id) => {
          const rows = tablesOf(accountId).ofCampaign.rows(id)
          return {
            conversions: rows.length,
            revenue: worthOf(accountId, rows, true),
            lost: worthOf(accountId, rows, false)
          }
        })
      ),
    compared: (accountId, campaignId, days) =>
      database.read(() => {
        const { recipients } = campaignsOf(accountId)
        const placed = ordersOf(accountId)
          .newest.rows(all)
          .filter(({ status }) => isEarning(status))
        const ofState = (state: RecipientState): GroupOrders => {
          const own = placed.filter(({ contactId, placedAt }) => {
            const recipient = recipients.get(recipientKey(campaignId, contactId ?? ""))
            const at = recipient?.decidedAt ?? null
            return (
              recipient?.state === state && at !== null && placedAt >= at && placedAt < at + days * dayMillis
            )
          })
          return { orders: own.length, revenue: amountsOf(own) }
        }
        return { sent: ofState("Submitted"), heldOut: ofState("HeldOut") }
      }),
    erase: (accountId, contactIds) =>
      database.write(() =>
        tablesOf(accountId).conversions.removeMany(ofContacts(accountId, contactIds).map(keyOf))
      )
  })
}).pipe(Layer.effect(ConversionStore))
