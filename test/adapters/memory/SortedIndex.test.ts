import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { byTime, SortedIndex } from "../../../adapters/memory/engine/SortedIndex.ts"
import { spentMillis } from "../../support/stall.ts"

interface Row {
  readonly id: string
  readonly at: number
  readonly group: string | null
}

const order = byTime<Row>((row) => row.at)

const step = fc.record({
  kind: fc.constantFrom("add", "add", "remove", "oldest", "oldest", "replace", "look"),
  at: fc.nat(40),
  group: fc.constantFrom("a", "a", "a", "b", null),
  which: fc.nat()
})

describe("a sorted index", () => {
  it("has the rows of a sorted list of each group after any additions, replacements and removals", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 20, maxLength: 200, size: "max" }), (steps) => {
        const index = new SortedIndex<Row>((row) => row.group, order)
        let rows: ReadonlyArray<Row> = []
        const inOrder = (group: string) => rows.filter((row) => row.group === group).toSorted(order)
        const remove = (gone: Row) => {
          index.remove(gone)
          rows = rows.filter((row) => row !== gone)
        }
        for (const [number, { at, group, kind, which }] of steps.entries()) {
          const chosen = rows[which % Math.max(1, rows.length)]
          const oldest = inOrder("a")[which % 3]
          if (kind === "add" || chosen === undefined) {
            const row = { id: `r${number}`, at, group }
            index.add(row)
            rows = [...rows, row]
          } else if (kind === "remove") remove(chosen)
          else if (kind === "oldest" && oldest !== undefined) remove(oldest)
          else if (kind === "replace") {
            const after = which % 2 === 0 ? { ...chosen } : { ...chosen, at, group }
            index.replace(chosen, after)
            rows = [...rows.filter((row) => row !== chosen), after]
          } else expect(index.rows("a")).toEqual(inOrder("a"))
        }
        for (const name of ["a", "b"]) {
          const expected = inOrder(name)
          const page = index.page(name, { page: 1, pageSize: 5 }, ({ at, id }) => [at, id])
          expect([page.items, page.totalCount]).toEqual([expected.slice(-5).toReversed(), expected.length])
          expect(index.rows(name)).toEqual(expected)
        }
      }),
      { numRuns: 500 }
    )
  })

  it("removes the oldest of very many rows as fast as the newest", () => {
    const count = 200_000
    const rows = Array.from({ length: count }, (_, at): Row => ({ id: String(at), at, group: "a" }))
    const index = new SortedIndex<Row>((row) => row.group, order)
    for (const row of rows) index.add(row)
    const began = spentMillis()
    // Almost in order of age, because runs end in another order than they start.
    for (let at = 0; at < count; at += 2) for (const one of [at + 1, at]) index.remove(rows[one]!)
    expect(spentMillis() - began).toBeLessThan(3_000)
    expect(index.rows("a")).toEqual([])
  })
})
