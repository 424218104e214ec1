/**
 * Tests of the warnings of a call: which are kept, and for whom.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CallWarnings, maxWarningParam, maxWarnings, warn, Warnings } from "../../../core/kernel/Warnings.ts"

const code = "unknown_field"

describe("warnings", () => {
  it.effect("are those of the call that the fiber works for", () =>
    Effect.gen(function* () {
      const [one, other] = [new Warnings(), new Warnings()]
      yield* Effect.all(
        [one, other].map((warnings, index) =>
          Effect.provideService(warn({ code, params: { field: `f${index}` } }), CallWarnings, warnings)
        ),
        { concurrency: 2 }
      )
      yield* warn({ code })
      expect(one.list).toEqual([{ code, params: { field: "f0" } }])
      expect(other.list).toEqual([{ code, params: { field: "f1" } }])
    })
  )

  it("are kept in order, up to a number and a length", () => {
    const warnings = new Warnings()
    for (let index = 0; index < maxWarnings + 5; index++) {
      warnings.add({ code, params: { field: `${index} ${"x".repeat(1_000)}` } })
    }
    const fields = warnings.list.map(({ params }) => params?.["field"] ?? "")
    expect(fields.map((field) => Number.parseInt(field, 10))).toEqual([...Array(maxWarnings).keys()])
    expect(fields.every((field) => field.length === maxWarningParam)).toBe(true)
    expect(warnings.more).toBe(5)
  })
})
