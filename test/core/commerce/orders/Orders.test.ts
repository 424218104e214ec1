/**
 * Tests of the totals of order lists: which are lower bounds, and that the caller is warned.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Orders, type OrderQuery } from "../../../../core/commerce/orders/Orders.ts"
import { CallWarnings, Warnings } from "../../../../core/kernel/Warnings.ts"
import { OrderStore } from "../../../../core/ports/OrderStore.ts"

const all: OrderQuery = { storeId: null, search: null, status: null, view: "All", days: null }

/** The codes of the warnings of a list with a total. */
const warningsOf = (totalCount: number, query: Partial<OrderQuery>, page: number) => {
  const warnings = new Warnings()
  const store = Layer.mock(OrderStore, {
    list: (_account, _filter, request) =>
      Effect.succeed({ items: [], ...request, totalCount, totalIsExact: true, next: null })
  })
  return Effect.flatMap(Orders, (orders) =>
    orders.list("a", { ...all, ...query }, { page, pageSize: 200 })
  ).pipe(
    Effect.provide(Orders.layer.pipe(Layer.provide(store))),
    Effect.provideService(CallWarnings, warnings),
    Effect.as(warnings),
    Effect.map(({ list }) => list.map(({ code }) => code))
  )
}

it.effect("warns of a search's total that is a lower bound, and of no other", () =>
  Effect.gen(function* () {
    const bound = ["total_is_lower_bound"]
    expect(yield* warningsOf(10_000, { search: "a" }, 1)).toEqual([])
    expect(yield* warningsOf(10_001, { search: "a" }, 1)).toEqual(bound)
    expect(yield* warningsOf(10_200, { search: "a" }, 51)).toEqual([])
    expect(yield* warningsOf(10_201, { search: "a" }, 51)).toEqual(bound)
    expect(yield* warningsOf(50_000, {}, 1)).toEqual([])
  })
)
