/**
 * Tests of counting segments: how many passes over the contacts it takes, and which counts are cached.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../../adapters/crypto/Crypto.ts"
import { SegmentCounting } from "../../../../core/audience/segments/SegmentCounting.ts"
import type { SegmentDefinition, SegmentRule } from "../../../../core/model/SegmentDefinition.ts"
import { SegmentStore } from "../../../../core/ports/SegmentStore.ts"
import { Unavailable } from "../../../../core/shared/Problem.ts"

const happened = (name: string): SegmentRule => ({
  field: { _tag: "Events", name },
  test: { operator: "HappenedAtLeast", count: 1, days: 30 }
})
const contains = (text: string): SegmentRule => ({
  field: { _tag: "Text", column: "email" },
  test: { operator: "Contains", text }
})

/** Forty definitions of 14 rules each. */
const forty = Array.from({ length: 40 }, (_, index): SegmentDefinition => ({
  join: "Any",
  rules: [happened("bought"), ...Array.from({ length: 13 }, (_each, place) => contains(`${index} ${place}`))]
}))

/** A storage that records each pass by the number of definitions it counted. Each rule takes `millis`. */
const storeOf = (millis: number, fails: (pass: number) => boolean = () => false) => {
  const passes: Array<number> = []
  const state = { marks: "first" }
  const layer = Layer.mock(SegmentStore)({
    marks: () => Effect.sync(() => state.marks),
    count: Effect.fnUntraced(function* (_accountId, definitions) {
      passes.push(definitions.length)
      yield* TestClock.adjust(definitions.flatMap(({ rules }) => rules).length * millis)
      if (fails(passes.length)) return yield* new Unavailable({ cause: "too late" })
      return { marks: state.marks, counts: definitions.map(() => ({ count: 1, sendableCount: 0 })) }
    })
  })
  return {
    passes,
    state,
    layer: SegmentCounting.layer.pipe(Layer.provide([layer, Crypto.layer]))
  }
}

const count = (definitions: ReadonlyArray<SegmentDefinition>) =>
  Effect.flatMap(SegmentCounting, (counting) => counting.count("account", definitions))

describe("SegmentCounting", () => {
  it.effect(
    "counts forty definitions in few passes over few contacts, and none again without a change",
    () => {
      const { layer, passes, state } = storeOf(1)
      return Effect.gen(function* () {
        expect(yield* count(forty)).toHaveLength(40)
        expect(passes).toEqual([4, 17, 19])
        yield* count(forty)
        expect(passes).toHaveLength(3)
        state.marks = "second"
        yield* count(forty)
        expect(passes).toHaveLength(6)
      }).pipe(Effect.provide(layer))
    }
  )

  it.effect("counts in small passes where one takes long, and goes on where a call ran out of time", () => {
    const { layer, passes } = storeOf(50, (pass) => pass === 8)
    return Effect.gen(function* () {
      expect((yield* Effect.flip(count(forty)))._tag).toBe("Unavailable")
      expect(passes).toEqual([4, 4, 4, 4, 4, 4, 4, 4])
      yield* count(forty)
      expect(passes.slice(8)).toEqual([4, 4, 4])
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads the timelines of at most 30 events in a pass, unless one definition has more", () => {
    const { layer, passes } = storeOf(0)
    const events = (from: number, length: number): SegmentDefinition => ({
      join: "All",
      rules: Array.from({ length }, (_, index) => happened(`event${from + index}`))
    })
    return Effect.gen(function* () {
      yield* count([events(0, 45), events(50, 20), events(60, 20), events(80, 20)])
      expect(passes).toEqual([1, 2, 1])
    }).pipe(Effect.provide(layer))
  })
})
