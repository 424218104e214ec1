/**
 * Stores orders of connected stores in the database.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type ContactTotals, nameOfOrder, type Order } from "../../core/model/Order.ts"
import { maxSearchTotal, type OrderFilter, OrderStore } from "../../core/ports/OrderStore.ts"
import { Transaction } from "../../core/ports/Transaction.ts"
import {
  comparePlaces,
  maxPageSize,
  pageOf,
  type PageRequest,
  type Place,
  placeBy
} from "../../core/shared/Page.ts"
import { orUnavailable } from "./sql/errors.ts"
import { executeOrConflict, ifAny } from "./sql/results.ts"
import {
  eraseStatement,
  findStatement,
  getStatement,
  ofStoreStatement,
  orderColumns,
  placedByStatement,
  totalsStatement,
  writeStatement
} from "./orders/statements.ts"
import { countStatement, pageStatement } from "./orders/lists.ts"
import { searchParts } from "./orders/keys.ts"
import { sampleStatement, searchStatement, type SearchSample } from "./orders/search.ts"
import { planBehindNewest, planSearch, type SearchPlan } from "./orders/searchPlan.ts"

interface Statement {
  readonly text: string
  readonly parameters: ReadonlyArray<unknown>
}

interface TotalsRow {
  readonly contactId: string
  readonly orderCount: number
  readonly totalSpent: string
  readonly lastOrderAt: Date
}

const toTotals = ({ lastOrderAt, ...totals }: TotalsRow): ContactTotals => ({
  ...totals,
  lastOrderAt: lastOrderAt.getTime()
})

const placeByName = (order: Order): Place => [nameOfOrder(order), order.id]

/** The port over a `SqlClient`. */
export const layer = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { run } = yield* Transaction

  const ask = <Row extends object>({ parameters, text }: Statement) =>
    orUnavailable(sql.unsafe<Row>(text, parameters))
  const askOrders = (statement: Statement) =>
    Effect.map(ask(statement), (rows) => rows.map(orderColumns.decode))

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
      const items = rows.flatMap((row) => (row.id === null ? [] : [orderColumns.decode(row)]))
      return pageOf(page, items, placeBy("placedAt"), {
        totalCount: rows[0]?.matches ?? 0,
        totalIsExact: (rows[0]?.matches ?? 0) < wanted
      })
    })
    const plan = planSearch(facts)
    const found = yield* by(plan)
    const isPart = plan.way === "Newest" && found.totalCount < wanted && sample.orders > plan.walked
    return isPart ? yield* by(planBehindNewest(facts)) : found
  })

  /**
   * A page of a search after a given order. It searches the orders placed up to that time, and omits those with the same time
   * that come before the order.
   */
  const findBehind = Effect.fnUntraced(function* (
    accountId: string,
    filter: OrderFilter,
    search: string,
    page: PageRequest,
    after: Place
  ) {
    const { totalCount, totalIsExact } = yield* find(accountId, filter, search, { page: 1, pageSize: 1 })
    const ends = (after[0] as number) + 1
    const older = { ...filter, until: Math.min(filter.until ?? ends, ends) }
    const items: Array<Order> = []
    for (let number = 1; items.length <= page.pageSize; number++) {
      const { items: found } = yield* find(accountId, older, search, { page: number, pageSize: maxPageSize })
      items.push(...found.filter((order) => comparePlaces(placeBy("placedAt")(order), after) < 0))
      if (found.length < maxPageSize) break
    }
    return pageOf(page, items, placeBy("placedAt"), { totalCount, totalIsExact })
  })

  return OrderStore.of({
    find: (accountId, storeId, externalIds) =>
      askOrders(findStatement(accountId, storeId, externalIds)).pipe(ifAny(externalIds)),
    get: (accountId, id) => Effect.map(askOrders(getStatement(accountId, id)), ([order]) => order ?? null),
    ofStore: (accountId, storeId, limit) => askOrders(ofStoreStatement(accountId, storeId, limit)),
    write: (accountId, changes) =>
      Effect.suspend(() => {
        if (changes.length === 0) return Effect.void
        const { parameters, text } = writeStatement(accountId, changes)
        // In a transaction, because a check that rejects the write depends on the counts of the statement.
        return run(executeOrConflict(sql.unsafe(text, parameters)))
      }),
    totals: (accountId, contactIds) =>
      Effect.map(ask<TotalsRow>(totalsStatement(accountId, contactIds)), (rows) => rows.map(toTotals)).pipe(
        ifAny(contactIds)
      ),
    placedBy: (accountId, contactIds, since) =>
      askOrders(placedByStatement(accountId, contactIds, since)).pipe(ifAny(contactIds)),
    list: Effect.fnUntraced(function* (accountId, filter, page) {
      const { search } = filter
      const { after = null } = page
      if (search !== null) {
        return yield* after === null
          ? find(accountId, filter, search, page)
          : findBehind(accountId, filter, search, page, after)
      }
      const [counted] = yield* ask<{ total: number }>(countStatement(accountId, filter))
      const totalCount = counted?.total ?? 0
      const items = yield* askOrders(pageStatement(accountId, filter, page, totalCount))
      return pageOf(page, items, page.sort?.by === "name" ? placeByName : placeBy("placedAt"), {
        totalCount,
        totalIsExact: true
      })
    }),
    erase: (accountId, contactIds) =>
      Effect.asVoid(ask(eraseStatement(accountId, contactIds))).pipe(ifAny(contactIds))
  })
}).pipe(Layer.effect(OrderStore))
