/**
 * A search of orders finds the same whichever way it goes, and goes the way that reads little.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ConnectedStores from "../../../adapters/postgres/ConnectedStores.ts"
import { layer as database } from "../../../adapters/postgres/Embedded.ts"
import * as OrderStore from "../../../adapters/postgres/OrderStore.ts"
import { searchParts } from "../../../adapters/postgres/orders/parts.ts"
import {
  sampleStatement,
  type SearchSample,
  searchStatement
} from "../../../adapters/postgres/orders/search.ts"
import {
  planSearch,
  type SampleCounts,
  type SearchFacts,
  type SearchPlan
} from "../../../adapters/postgres/orders/searchPlan.ts"
import * as Transaction from "../../../adapters/postgres/Transaction.ts"
import { orderStatuses } from "../../../core/commerce/Order.ts"
import * as ConnectedStoresPort from "../../../core/ports/ConnectedStores.ts"
import * as OrderStorePort from "../../../core/ports/OrderStore.ts"
import { draftStore } from "../../contract/ConnectedStores.ts"
import { draftOrder } from "../../contract/drafts.ts"
import { newId, now, times } from "../../contract/fixtures.ts"

const stores = Layer.mergeAll(OrderStore.layer, ConnectedStores.layer).pipe(
  Layer.provideMerge(Transaction.layer),
  Layer.provideMerge(database(null))
)

layer(stores, { excludeTestServices: true, timeout: "1 minute" })("a search of orders", (test) => {
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
          placedAt: now - ((index * 37) % 900) * 3_600_000,
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
        storeId: fc.constantFrom(null, large.id, small.id),
        statuses: fc.subarray([...orderStatuses], { minLength: 1 }),
        since: fc.constantFrom(null, now - 100 * 3_600_000, now - 700 * 3_600_000),
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
          "nobody",
          "15\np195@shop"
        ),
        page: fc.constantFrom(1, 2, 11)
      })
      const chosen = new Set<string>()
      for (const { page: number, search, ...given } of fc.sample(arbitrary, 60)) {
        const filter = { ...given, search }
        const page = { page: number, pageSize: 100 }
        const expected = newest.filter(
          ({ email, number: of, placedAt, status, storeId }) =>
            (filter.storeId === null || storeId === filter.storeId) &&
            filter.statuses.includes(status) &&
            (filter.since === null || placedAt >= filter.since) &&
            `${of}\n${email}\n`.includes(search)
        )
        const sampling = sampleStatement(accountId, filter, search)
        const [sample] = yield* sql.unsafe<SearchSample>(sampling.text, sampling.parameters)
        const parts = searchParts(search)
        const wanted = OrderStorePort.maxSearchTotal(page)
        chosen.add(planSearch({ ...sample!, parts, wanted }).way)
        const plans: ReadonlyArray<SearchPlan> = [
          { way: "Newest" },
          { way: "Ranges" },
          { way: "Parts", parts },
          { way: "Parts", parts: parts.slice(-1) }
        ]
        for (const plan of plans) {
          const { parameters, text } = searchStatement(accountId, filter, search, page, plan)
          const rows = yield* sql.unsafe<{ readonly id: string | null; readonly matches: number }>(
            text,
            parameters
          )
          expect([plan, filter, rows.flatMap(({ id }) => id ?? [])]).toEqual([
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

const counts = (values: Partial<SampleCounts>): SampleCounts => ({
  rows: 200,
  late: 200,
  fitting: 200,
  containing: 0,
  found: 0,
  parts: [0],
  places: [],
  ...values
})

const facts = (newest: Partial<SampleCounts>, spaced: Partial<SampleCounts>): SearchFacts => ({
  parts: ["word"],
  wanted: 1001,
  ranges: 7,
  newest: counts(newest),
  spaced: counts(spaced)
})

describe("the way of a search of orders", () => {
  it("is that of what is rare: the word, the orders between it, or the orders of the filter", () => {
    const everywhere = { containing: 200, found: 200, parts: [200], places: times(126, (index) => index + 1) }
    expect(planSearch(facts({}, {}))).toEqual({ way: "Parts", parts: ["word"] })
    expect(planSearch(facts(everywhere, everywhere))).toEqual({ way: "Newest" })
    const few = {
      fitting: 1,
      containing: 200,
      found: 1,
      parts: [200],
      places: times(126, (index) => index + 1)
    }
    expect(planSearch(facts(few, few))).toEqual({ way: "Ranges" })
    // Only orders of long ago have it, too many to be found by parts.
    expect(
      planSearch(
        facts({}, { containing: 60, found: 60, parts: [60], places: times(60, (index) => 13 + index) })
      )
    ).toEqual({ way: "Newest" })
    // A page so far behind that walking there takes longer than reading all that have it.
    const some = { containing: 10, found: 10, parts: [10], places: times(10, (index) => 6 + 12 * index) }
    expect(planSearch(facts(some, some))).toEqual({ way: "Newest" })
    expect(planSearch({ ...facts(some, some), wanted: 45_000 }).way).toBe("Parts")
  })

  it("asks the index for the rarest part, and for others that are not common", () => {
    const parts = ["rare", "some", "many", "seld", "scar", "rest"]
    const sampled = { parts: [2, 6, 150, 0, 1, 7] }
    expect(planSearch({ ...facts(sampled, sampled), parts })).toEqual({
      way: "Parts",
      parts: ["seld", "scar", "rare", "some"]
    })
    const common = { parts: [40, 150] }
    const old = { ...facts(common, { ...common, rows: 100 }), parts: ["many", "most"], wanted: 1_000_000 }
    expect(planSearch(old)).toEqual({ way: "Parts", parts: ["many"] })
  })

  it("is found whatever was sampled", () => {
    const count = fc.nat(200)
    const sample = fc.record({
      rows: count,
      late: count,
      fitting: count,
      containing: count,
      found: count,
      parts: fc.tuple(count, count),
      places: fc.array(fc.nat(126))
    })
    const arbitrary = fc.record({ newest: sample, spaced: sample, ranges: fc.nat(70), wanted: fc.nat(1e6) })
    fc.assert(
      fc.property(arbitrary, (given) => {
        const plan = planSearch({ ...given, parts: ["one", "two"] })
        expect(["Parts", "Newest", "Ranges"]).toContain(plan.way)
        if (plan.way === "Parts") expect(plan.parts.length).toBeGreaterThan(0)
      })
    )
  })
})
