/**
 * Tests that every plan of an order search finds the same orders, and that the chosen plan reads little.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ConnectedStores from "../../../adapters/postgres/ConnectedStores.ts"
import { layer as database } from "../../../adapters/postgres/engine/Embedded.ts"
import * as OrderStore from "../../../adapters/postgres/OrderStore.ts"
import { searchParts } from "../../../adapters/postgres/orders/keys.ts"
import {
  sampleStatement,
  type SearchSample,
  searchStatement
} from "../../../adapters/postgres/orders/search.ts"
import {
  planBehindNewest,
  planSearch,
  type SampleCounts,
  type SearchFacts,
  type SearchPlan
} from "../../../adapters/postgres/orders/searchPlan.ts"
import * as Transaction from "../../../adapters/postgres/Transaction.ts"
import { type Order, orderStatuses } from "../../../core/model/Order.ts"
import * as ConnectedStoresPort from "../../../core/ports/ConnectedStores.ts"
import * as OrderStorePort from "../../../core/ports/OrderStore.ts"
import { draftStore } from "../../contract/ConnectedStores.ts"
import { draftOrder } from "../../contract/drafts.ts"
import { newId, now, times } from "../../contract/fixtures.ts"

const hour = 3_600_000

const isOf =
  ({ search, since, statuses, storeId }: OrderStorePort.OrderFilter) =>
  (order: Order): boolean =>
    (storeId === null || storeId.includes(order.storeId)) &&
    statuses.includes(order.status) &&
    ((since ?? null) === null || order.placedAt >= since!) &&
    `${order.number}\n${order.email}\n`.includes(search ?? "")

const stores = Layer.mergeAll(OrderStore.layer, ConnectedStores.layer).pipe(
  Layer.provideMerge(Transaction.layer(true)),
  Layer.provideMerge(database(null))
)

layer(stores, { excludeTestServices: true })("a search of orders", (test) => {
  test.effect("finds the same in every way, of which a sample tells the shortest", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const accountId = newId()
      const [large, small] = [draftStore(accountId), draftStore(accountId)]
      yield* (yield* ConnectedStoresPort.ConnectedStores).insert(large)
      yield* (yield* ConnectedStoresPort.ConnectedStores).insert(small)
      const made = times(1100, (index) =>
        draftOrder(index % 50 === 3 ? small.id : large.id, {
          status: orderStatuses[(index * 7) % 5]!,
          // Most orders are within a year, some before 1970, and some so long ago that their ranges have the prefixes of later
          // ones.
          placedAt:
            now -
            ((index * 37) % 900) * 12 * hour -
            (index % 20 === 0 ? 256 * 32 * 24 * hour * (index % 3) : 0),
          number: `${1000 + index}`,
          email: `p${(index * 13) % 200}@shop.example`
        })
      )
      yield* (yield* OrderStorePort.OrderStore).write(
        accountId,
        made.map((after) => ({ before: null, after }))
      )
      yield* sql.unsafe("analyze order_texts")
      const newest = made.toSorted((a, b) => b.placedAt - a.placedAt || (a.id < b.id ? 1 : -1))
      const arbitrary = fc.record({
        storeId: fc.constantFrom(null, [large.id], [small.id], [large.id, small.id]),
        statuses: fc.subarray([...orderStatuses], { minLength: 1 }),
        since: fc.constantFrom(null, now - 1000 * hour, now - 7000 * hour),
        search: fc.constantFrom(
          "",
          "1",
          "9",
          "p7",
          "@",
          "1234",
          "p13@",
          "shop.example",
          "100\np",
          "unknown",
          "15\np195@shop"
        ),
        page: fc.constantFrom(1, 2, 11)
      })
      const chosen = new Set<string>()
      for (const { page: number, search, ...given } of fc.sample(arbitrary, { seed: 7, numRuns: 80 })) {
        const filter = { ...given, search }
        const page = { page: number, pageSize: 100 }
        const expected = newest.filter(isOf(filter))
        const sampling = sampleStatement(accountId, filter, search)
        const [sample] = yield* sql.unsafe<SearchSample>(sampling.text, sampling.parameters)
        const parts = searchParts(search)
        const wanted = OrderStorePort.maxSearchTotal(page)
        expect(sample).toMatchObject({ orders: made.length })
        const fitting = newest.filter(isOf({ ...filter, search: "" }))
        expect(sample!.fitting).toBeGreaterThanOrEqual(fitting.length)
        // Measured with a million such orders.
        const facts = {
          ...sample!,
          orders: 1_000_000,
          fitting: 1000 * fitting.length,
          marked: 1_000_000,
          parts,
          wanted: 900
        }
        chosen.add(planSearch(facts).way)
        const plans: ReadonlyArray<SearchPlan> = [
          { way: "Newest", walked: 2000 },
          { way: "Ranges" },
          { way: "Parts", parts, walked: 5000 },
          { way: "Parts", parts: parts.slice(-1), walked: 10 }
        ]
        for (const plan of plans) {
          const { parameters, text } = searchStatement(accountId, filter, search, page, plan)
          const rows = yield* sql.unsafe<{ readonly id: string | null; readonly matches: number }>(
            text,
            parameters
          )
          expect([plan, filter, rows.flatMap(({ id }) => id ?? []).slice(0, 100)]).toEqual([
            plan,
            filter,
            expected.slice((number - 1) * 100, number * 100).map(({ id }) => id)
          ])
          expect(rows[0]?.matches).toBe(Math.min(expected.length, wanted))
        }
      }
      expect([...chosen].toSorted()).toEqual(["Newest", "Parts", "Ranges"])
    })
  )
})

const counts = (found: number, ...parts: ReadonlyArray<number>): SampleCounts => ({ rows: 200, found, parts })

const facts = (values: Partial<SearchFacts>): SearchFacts => ({
  parts: ["word"],
  wanted: 1001,
  orders: 1_000_000,
  marked: 1_000_000,
  fitting: 1_000_000,
  newest: counts(0, 0),
  spaced: counts(0, 0),
  ...values
})

describe("the plan of an order search", () => {
  it("is chosen by what is rare: the word, the orders between matches, or the orders of the filter", () => {
    expect(planSearch(facts({}))).toEqual({ way: "Parts", parts: ["word"], walked: 5005 })
    const everywhere = facts({ newest: counts(200, 200), spaced: counts(200, 200) })
    expect(planSearch(everywhere)).toEqual({ way: "Newest", walked: 1502 })
    expect(planSearch({ ...everywhere, wanted: 50_001 })).toEqual({ way: "Newest", walked: 75_002 })
    // Too far back to be walked to, or not where the newest texts suggest.
    expect(planSearch({ ...everywhere, newest: counts(100, 100), wanted: 50_001 }).way).toBe("Parts")
    expect(planSearch({ ...everywhere, spaced: counts(100, 100), wanted: 50_001 }).way).toBe("Parts")
    expect(planBehindNewest(everywhere).way).toBe("Parts")
    const common = { newest: counts(0, 200), spaced: counts(0, 200) }
    expect(planSearch(facts({ ...common, fitting: 90_000 })).way).toBe("Ranges")
    expect(planSearch(facts({ ...common, fitting: 200_000 })).way).toBe("Parts")
    expect(planSearch(facts({ ...common, marked: 10_000, fitting: 9000 })).way).toBe("Parts")
    expect(planSearch(facts({ fitting: 1000 })).way).toBe("Ranges")
  })

  it("queries the index for the rarest part, and for others that are not common", () => {
    const parts = ["rare", "some", "many", "seld", "scar", "rest"]
    const sampled = counts(0, 2, 6, 150, 0, 1, 7)
    expect(planSearch(facts({ newest: sampled, spaced: sampled, parts }))).toEqual({
      way: "Parts",
      parts: ["seld", "scar", "rare", "some"],
      walked: 5005
    })
    const common = counts(0, 40, 150)
    expect(planSearch(facts({ newest: common, spaced: common, parts: ["many", "most"] }))).toEqual({
      way: "Parts",
      parts: ["many"],
      walked: 5005
    })
  })

  it("finds the matches whatever the sample", () => {
    const count = fc.nat(200)
    const sample = fc.record({ rows: count, found: count, parts: fc.tuple(count, count) })
    const arbitrary = fc.record({
      newest: sample,
      spaced: sample,
      orders: fc.nat(1e7),
      marked: fc.nat(1e7),
      fitting: fc.nat(1e7),
      wanted: fc.nat(1e6)
    })
    fc.assert(
      fc.property(arbitrary, (given) => {
        const plan = planSearch({ ...given, parts: ["one", "two"] })
        expect(["Parts", "Newest", "Ranges"]).toContain(plan.way)
        if (plan.way === "Parts") expect(plan.parts.length).toBeGreaterThan(0)
        expect(planBehindNewest({ ...given, parts: ["one", "two"] }).way).not.toBe("Newest")
      })
    )
  })
})
