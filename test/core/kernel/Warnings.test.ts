/**
 * Warnings of a call: which are kept, and for whom.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CallWarnings, maxWarningLength, maxWarnings, warn, Warnings } from "../../../core/kernel/Warnings.ts"

const code = "request.unknown_field"

describe("warnings", () => {
  it.effect("are those of the call that the fiber works for", () =>
    Effect.gen(function* () {
      const [one, other] = [new Warnings(), new Warnings()]
      yield* Effect.all(
        [one, other].map((warnings, index) =>
          Effect.provideService(warn({ code, message: `call ${index}` }), CallWarnings, warnings)
        ),
        { concurrency: 2 }
      )
      yield* warn({ code, message: "outside a call" })
      expect(one.list).toEqual([{ code, message: "call 0" }])
      expect(other.list).toEqual([{ code, message: "call 1" }])
    })
  )

  it("are kept once each, in order, up to a number and a length", () => {
    const warnings = new Warnings()
    for (let index = 0; index < maxWarnings + 5; index++) {
      warnings.add({ code, message: `${index} ${"x".repeat(1_000)}` })
      warnings.add({ code, message: `${index} ${"x".repeat(1_000)}` })
    }
    expect(warnings.list.map(({ message }) => Number.parseInt(message, 10))).toEqual([
      ...Array(maxWarnings).keys()
    ])
    expect(warnings.list.every(({ message }) => message.length === maxWarningLength)).toBe(true)
    expect(warnings.more).toBeGreaterThanOrEqual(5)
  })
})
