/**
 * Stores conversions in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Conversion } from "../../core/model/Conversion.ts"
import { type Amount, earningStatuses } from "../../core/model/Order.ts"
import { ConversionStore, type Earnings, type GroupOrders } from "../../core/ports/ConversionStore.ts"
import { columnsOf } from "./sql/columns.ts"
import { orUnavailable } from "./sql/errors.ts"
import { countOf, execute, ifAny } from "./sql/results.ts"
import { tableOf } from "./sql/tables.ts"

const columns = columnsOf<Conversion>({
  id: "uuid",
  contactId: "uuid",
  orderId: "uuid",
  flowId: "uuid",
  campaignId: "uuid",
  deliveryId: "uuid",
  clickedAt: "timestamptz",
  orderedAt: "timestamptz"
})

/** A row of the table, whose columns include the account. */
const rowColumns = columnsOf<Conversion & { readonly accountId: string }>({
  accountId: "uuid",
  id: "uuid",
  contactId: "uuid",
  orderId: "uuid",
  flowId: "uuid",
  campaignId: "uuid",
  deliveryId: "uuid",
  clickedAt: "timestamptz",
  orderedAt: "timestamptz"
})

/** The orders of a campaign in one currency; null if there are none left. */
interface CampaignOrders {
  readonly id: string
  readonly count: number
  readonly currency: string | null
  readonly earns: boolean | null
  readonly amount: string | null
}

/** The orders, in one currency, of the recipients of a campaign or of those held out. */
interface GroupRow extends Amount {
  readonly isHeldOut: boolean
  readonly count: number
}

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const conversions = yield* tableOf("conversions", columns)
  const rows = yield* tableOf("conversions", rowColumns)

  const remove = (accountId: string, removed: ReadonlyArray<Conversion>) =>
    execute(sql`
      delete from conversions where ctid = any(array(
        select c.place from rows from (
          unnest(${removed.map((row) => row.contactId)}::uuid[]), unnest(${removed.map((row) => row.orderId)}::uuid[])
        ) as r(contact, placed) cross join lateral (
          select ctid as place from conversions
          where account_id = ${accountId} and contact_id = r.contact and order_id = r.placed limit 1
        ) c
      ))`).pipe(ifAny(removed))

  return ConversionStore.of({
    // The order is that of the primary key, so that the planner uses it whatever its statistics.
    of: (accountId, contactIds) =>
      conversions
        .select(
          sql`
          from (select distinct unnest(${contactIds}::uuid[]) as id) k cross join lateral (
            select * from conversions where account_id = ${accountId} and contact_id = k.id
            order by order_id offset 0
          ) conversions`
        )
        .pipe(ifAny(contactIds)),
    write: (accountId, removed, added) =>
      Effect.andThen(
        remove(accountId, removed),
        rows.insertMany(added.map((conversion) => ({ accountId, ...conversion })))
      ),
    countOfFlow: (accountId, flowId) =>
      countOf(sql`
        select count(*)::float8 as count from conversions where account_id = ${accountId} and flow_id = ${flowId}`),
    // Each order is looked up by its key, whatever the planner's statistics.
    revenueOfFlow: (accountId, flowId) =>
      orUnavailable(sql<Amount>`
        select o.currency, sum(o.total)::text as amount from (
          select order_id from conversions where account_id = ${accountId} and flow_id = ${flowId} offset 0
        ) c cross join lateral (
          select currency, total, status from orders where account_id = ${accountId} and id = c.order_id limit 1
        ) o where o.status = any(${earningStatuses}::text[]) group by o.currency`),
    ofCampaigns: (accountId, campaignIds) =>
      Effect.map(
        orUnavailable(sql<CampaignOrders>`
          select campaign_id as id, sum(count)::float8 as count, currency, earns, sum(amount)::text as amount
          from campaign_earnings where account_id = ${accountId} and campaign_id = any(${campaignIds}::uuid[])
          group by 1, 3, 4 having sum(count) > 0 order by currency`).pipe(ifAny(campaignIds)),
        (found) => {
          const byId = Map.groupBy(found, ({ id }) => id)
          return campaignIds.map((id): Earnings => {
            const own = byId.get(id) ?? []
            const amounts = (earns: boolean) =>
              own.flatMap((row) =>
                row.currency !== null && row.earns === earns
                  ? [{ currency: row.currency, amount: row.amount! }]
                  : []
              )
            return {
              conversions: own.reduce((sum, { count }) => sum + count, 0),
              revenue: amounts(true),
              lost: amounts(false)
            }
          })
        }
      ),
    compared: (accountId, campaignId, days) =>
      Effect.map(
        orUnavailable(sql<GroupRow>`
          select is_held_out as "isHeldOut", currency, sum(count)::float8 as count, sum(amount)::text as amount
          from campaign_comparison where account_id = ${accountId} and campaign_id = ${campaignId} and day < ${days}
          group by 1, 2 having sum(count) > 0 order by 2`),
        (found) => {
          const group = (isHeldOut: boolean): GroupOrders => {
            const own = found.filter((row) => row.isHeldOut === isHeldOut)
            return {
              orders: own.reduce((sum, { count }) => sum + count, 0),
              revenue: own.map(({ amount, currency }) => ({ currency, amount }))
            }
          }
          return { sent: group(false), heldOut: group(true) }
        }
      ),
    erase: (accountId, contactIds) =>
      execute(sql`
        delete from conversions where account_id = ${accountId} and contact_id = any(${contactIds}::uuid[])`).pipe(
        ifAny(contactIds)
      )
  })
}).pipe(Layer.effect(ConversionStore))
