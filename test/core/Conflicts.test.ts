/**
 * Conflicts: load and decide again, split a batch that keeps conflicting, and come to an end.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as fc from "fast-check"
import { WriteConflict } from "../../core/ports/Transaction.ts"
import { refuseOn, retryBatch, retryConflicts } from "../../core/shared/Conflicts.ts"
import { Problem, Unavailable } from "../../core/shared/Problem.ts"

const conflict = new WriteConflict({ constraint: "contacts_email" })

/** A cycle that conflicts as often as given, then succeeds; and how often it ran. */
const conflicting = (conflicts: number) => {
  const counter = { runs: 0 }
  const cycle = Effect.suspend(() =>
    ++counter.runs <= conflicts ? Effect.fail(conflict) : Effect.succeed("written")
  )
  return { counter, cycle }
}

describe("retryConflicts", () => {
  it.effect("decides again until it gets through", () =>
    Effect.gen(function* () {
      for (const conflicts of [0, 1, 7, 29]) {
        const { counter, cycle } = conflicting(conflicts)
        expect(yield* retryConflicts(cycle)).toBe("written")
        expect(counter.runs).toBe(conflicts + 1)
      }
    })
  )

  it.effect("gives up as Unavailable after the attempts it has", () =>
    Effect.gen(function* () {
      const { counter, cycle } = conflicting(Number.POSITIVE_INFINITY)
      const error = yield* Effect.flip(retryConflicts(cycle, 3))
      expect(error).toBeInstanceOf(Unavailable)
      expect(error.cause).toBe(conflict)
      expect(counter.runs).toBe(3)
    })
  )

  it.effect("repeats nothing but a conflict", () =>
    Effect.gen(function* () {
      for (const error of [Problem.of("common.not_found"), new Unavailable({ cause: "down" })]) {
        let runs = 0
        const cycle = Effect.suspend(() => {
          runs++
          return Effect.fail(error)
        })
        expect(yield* Effect.flip(retryConflicts(cycle))).toBe(error)
        expect(runs).toBe(1)
      }
    })
  )
})

describe("retryBatch", () => {
  /** Items that a store writes one at a time only where a pair of them stands in each other's way. */
  const storeThat = (refuses: (items: ReadonlyArray<number>) => boolean) => {
    const written: Array<number> = []
    const tried: Array<ReadonlyArray<number>> = []
    const cycle = (items: ReadonlyArray<number>) =>
      Effect.suspend(() => {
        tried.push(items)
        if (refuses(items)) return Effect.fail(conflict)
        written.push(...items)
        return Effect.succeed(items.map((item) => item * 2))
      })
    return { cycle, tried, written }
  }

  it.effect("writes a batch that does not conflict as one", () =>
    Effect.gen(function* () {
      const { cycle, tried } = storeThat(() => false)
      expect(yield* retryBatch([1, 2, 3], cycle)).toEqual([2, 4, 6])
      expect(yield* retryBatch([], cycle)).toEqual([])
      expect(tried).toEqual([[1, 2, 3], []])
    })
  )

  it("splits a batch that keeps conflicting, and answers every item in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat({ max: 100 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        (items, most) => {
          const { cycle, tried, written } = storeThat((batch) => batch.length > most)
          return Effect.gen(function* () {
            expect(yield* retryBatch(items, cycle)).toEqual(items.map((item) => item * 2))
            expect(written).toEqual(items)
            expect(tried.length).toBeLessThanOrEqual(8 * Math.max(1, items.length))
          }).pipe(Effect.runPromise)
        }
      )
    )
  })

  it.effect("ends when a single item never gets through, and writes nothing after it", () =>
    Effect.gen(function* () {
      const items = Array.from({ length: 16 }, (_, index) => index)
      const { cycle, tried, written } = storeThat((batch) => batch.includes(5))
      const error = yield* Effect.flip(retryBatch(items, cycle))
      expect(error).toBeInstanceOf(Unavailable)
      expect(written).toEqual([0, 1, 2, 3, 4])
      expect(tried.length).toBeLessThan(100)
    })
  )

  it.effect("splits on nothing but a conflict", () =>
    Effect.gen(function* () {
      for (const error of [Problem.of("common.not_found"), new Unavailable({ cause: "down" })]) {
        let runs = 0
        const cycle = () =>
          Effect.suspend(() => {
            runs++
            return Effect.fail(error)
          })
        expect(yield* Effect.flip(retryBatch([1, 2, 3, 4], cycle))).toBe(error)
        expect(runs).toBe(1)
      }
    })
  )
})

describe("refuseOn", () => {
  it.effect("turns the one constraint into what it means, and leaves the rest", () =>
    Effect.gen(function* () {
      const meaning = Problem.of("deliverability.domain_exists")
      const turned = <E>(error: E) =>
        Effect.flip(refuseOn("contacts_email", () => meaning)(Effect.fail(error as E | WriteConflict)))
      expect(yield* turned(conflict)).toBe(meaning)
      const other = new WriteConflict({ constraint: "domains_name" })
      expect(yield* turned(other)).toBe(other)
      const down = new Unavailable({ cause: conflict })
      expect(yield* turned(down)).toBe(down)
      expect(yield* Effect.result(refuseOn("contacts_email", () => meaning)(Effect.succeed(1)))).toEqual(
        Result.succeed(1)
      )
    })
  )
})
