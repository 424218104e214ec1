/**
 * Orders of connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { ContactTotals, Order } from "../../core/model/Order.ts"
import { maxSearchTotal, type OrderFilter, OrderStore } from "../../core/ports/OrderStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import type { PageRequest } from "../../core/shared/Page.ts"
import { orUnavailable, orConflict } from "./sql/errors.ts"
import {
  eraseStatement,
  findStatement,
  ofStoreStatement,
  orderColumns,
  totalsStatement,
  writeStatement
} from "./orders/statements.ts"
import { countStatement, pageStatement } from "./orders/lists.ts"
import { searchParts } from "./orders/keys.ts"
import { sampleStatement, searchStatement, type SearchSample } from "./orders/search.ts"
import { planBehindNewest, planSearch, type SearchPlan } from "./orders/searchPlan.ts"

interface TotalsRow {
  readonly contactId: string
  readonly orderCount: number
  readonly totalSpent: string
  readonly lastOrderAt: Date
}

const toOrder = (row: object): Order => orderColumns.decode<Order>(row)

const toTotals = ({ lastOrderAt, ...totals }: TotalsRow): ContactTotals => ({
  ...totals,
  lastOrderAt: lastOrderAt.getTime()
})

/** The port over a `SqlClient`. */
export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { run } = yield* Transaction

    const ask = <Row extends object>(statement: {
      readonly text: string
      readonly parameters: ReadonlyArray<unknown>
    }) => orUnavailable(sql.unsafe<Row>(statement.text, statement.parameters))

    const find = Effect.fnUntraced(function* (
      accountId: string,
      filter: OrderFilter,
      search: string,
      page: PageRequest
    ) {
      const [sample] = yield* ask<SearchSample>(sampleStatement(accountId, filter, search))
      if (sample === undefined) return yield* Effect.die("a sample is one row")
      const wanted = maxSearchTotal(page)
      const facts = { parts: searchParts(search), wanted, ...sample }
      const by = Effect.fnUntraced(function* (plan: SearchPlan) {
        const rows = yield* ask<{ matches: number; id: string | null }>(
          searchStatement(accountId, filter, search, page, plan)
        )
        const items = rows.flatMap((row) => (row.id === null ? [] : [toOrder(row)]))
        return { items, ...page, totalCount: rows[0]?.matches ?? 0 }
      })
      const plan = planSearch(facts)
      const found = yield* by(plan)
      const isPart = plan.way === "Newest" && found.totalCount < wanted && sample.orders > plan.walked
      return isPart ? yield* by(planBehindNewest(facts)) : found
    })

    return OrderStore.of({
      find: (accountId, storeId, externalIds) =>
        externalIds.length === 0
          ? Effect.succeed([])
          : Effect.map(ask(findStatement(accountId, storeId, externalIds)), (rows) => rows.map(toOrder)),
      ofStore: (accountId, storeId, limit) =>
        Effect.map(ask(ofStoreStatement(accountId, storeId, limit)), (rows) => rows.map(toOrder)),
      write: (accountId, changes) =>
        Effect.suspend(() => {
          if (changes.length === 0) return Effect.void
          const { parameters, text } = writeStatement(accountId, changes)
          // In a transaction: what refuses does so by what the statement counted.
          return run(Effect.asVoid(orConflict(sql.unsafe(text, parameters))))
        }),
      totals: (accountId, contactIds) =>
        contactIds.length === 0
          ? Effect.succeed([])
          : Effect.map(ask<TotalsRow>(totalsStatement(accountId, contactIds)), (rows) => rows.map(toTotals)),
      list: Effect.fnUntraced(function* (accountId, filter, page) {
        const { search } = filter
        if (search !== null) return yield* find(accountId, filter, search, page)
        const [counted, rows] = yield* Effect.all(
          [
            ask<{ total: number }>(countStatement(accountId, filter)),
            ask(pageStatement(accountId, filter, page))
          ],
          { concurrency: 2 }
        )
        return { items: rows.map(toOrder), ...page, totalCount: counted[0]?.total ?? 0 }
      }),
      erase: (accountId, contactIds) =>
        contactIds.length === 0 ? Effect.void : Effect.asVoid(ask(eraseStatement(accountId, contactIds)))
    })
  })
)
